import type { SolanaChain } from './chain.js';
import type { Block, Commitment } from './chain-types.js';
import { minContextSlot } from './rpc-errors.js';
import { type Config, commitmentOf, optionalInteger, type Params } from './rpc-params.js';

/** What every method works with: the chain, and the block a call's commitment means. */
export type Method = (params: Params) => unknown;
export type Methods = Record<string, Method>;

export const API_VERSION = '4.0.0';

export class RpcContext {
  constructor(
    readonly chain: SolanaChain,
    readonly skippedCode: -32007 | -32009,
  ) {}

  /** The block a call sees; an error when the caller asks for a later one. */
  block(config: Config, commitment: Commitment = commitmentOf(config)): Block {
    const block = this.chain.ledger.at(commitment);
    const least = optionalInteger(config.minContextSlot);
    if (least !== null && block.slot < least) throw minContextSlot(block.slot);
    return block;
  }

  answer(block: Block, value: unknown): object {
    return { context: { apiVersion: API_VERSION, slot: block.slot }, value };
  }
}
