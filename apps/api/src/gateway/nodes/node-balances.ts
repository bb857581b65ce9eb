import type { OnModuleDestroy } from '@nestjs/common';
import type { ChainEndpoints } from '#libs/app/modules/chain-endpoints.js';
import type { NodePools } from '#libs/chain/chains/rpc/node-pools.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import { jsonText } from '#libs/core/exact-json.js';
import type { Hex } from '#libs/core/ids.js';
import type { HttpLogger } from '#libs/serve/http/listener.js';
import type { ChainView } from '#libs/serve/reader/chain-view.js';
import { type NativeBalance, NativeBalances } from '../../access/native-balances.js';
import { RpcFault } from '../rpc-fault.js';
import { parsed } from './answer-proof.js';
import { GatewayNodes } from './gateway-nodes.js';

export interface NodeBalancesDeps {
  readonly chains: readonly ChainSpec[];
  /** No balance is known of a chain without a node. */
  readonly endpoints: Pick<ChainEndpoints, 'of'>;
  readonly logger: HttpLogger;
  readonly nodePools: NodePools;
}

/** An answer that takes longer goes without the coin. */
const DEADLINE_MS = 2_000;

/**
 * Balances of the coin as a node says, which is asked by the hash of the view's block.
 * Invariant: no node, or one that fails or has no such block, gives null and never an error.
 */
export class NodeBalances extends NativeBalances implements OnModuleDestroy {
  private readonly nodes = new Map<string, GatewayNodes>();
  private readonly logger: HttpLogger;
  private closed = false;

  constructor({ chains, endpoints, logger, nodePools }: NodeBalancesDeps) {
    super();
    this.logger = logger;
    for (const chain of chains) {
      endpoints.of(chain.slug).then(
        ({ rpcUrls: urls }) => {
          if (!this.closed && urls.length > 0)
            this.nodes.set(chain.slug, new GatewayNodes({ chain, urls, logger, nodePools, deadlineMs: DEADLINE_MS }));
        },
        (error: unknown) => logger.warn({ chain: chain.slug, err: error }, 'no nodes for balances of the coin'),
      );
    }
  }

  /** `newest`: no earlier block was asked for. Nodes of Solana know the present alone. */
  async read(view: ChainView, wallet: Hex, newest: boolean): Promise<NativeBalance | null> {
    const { chain, head } = view;
    const nodes = this.nodes.get(chain.slug);
    if (nodes === undefined || (chain.family === 'solana' && !newest)) return null;
    const address = chain.ids.formatAddress(wallet);
    const question =
      chain.family === 'evm'
        ? { method: 'eth_getBalance', params: [address, { blockHash: chain.ids.formatBlockHash(head.hash) }] }
        : { method: 'getBalance', params: [address, { commitment: 'confirmed' }] };
    try {
      const asked = { method: question.method, params: jsonText(question.params), anyNode: false, sends: false };
      const { result } = await nodes.ask(asked);
      return result === undefined ? null : balanceIn(parsed(result.joined()), head.height);
    } catch (error) {
      // Left out, as where there is no node. What nodes do is in the log already.
      if (!(error instanceof RpcFault)) this.logger.warn({ chain: chain.slug, err: error }, 'a balance of the coin');
      return null;
    }
  }

  async onModuleDestroy(): Promise<void> {
    this.closed = true;
    await Promise.all([...this.nodes.values()].map((nodes) => nodes.close()));
  }
}

/** A quantity in hex on EVM chains; on Solana lamports, which are below 2^53 for every wallet, with the slot. */
function balanceIn(result: unknown, height: number): NativeBalance | null {
  if (typeof result === 'string')
    return /^0x[0-9a-f]{1,64}$/i.test(result) ? { amount: BigInt(result), block: height } : null;
  const { value, context } = (result ?? {}) as { value?: unknown; context?: { slot?: unknown } };
  const slot = context?.slot;
  if (!Number.isSafeInteger(value) || !Number.isSafeInteger(slot) || (value as number) < 0) return null;
  return { amount: BigInt(value as number), block: slot as number };
}
