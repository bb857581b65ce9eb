import { quantity } from '#libs/chain/chains/evm/quantity.js';
import type { RpcEndpoint } from '#libs/chain/chains/evm/rpc/endpoint.js';
import type { Hex } from '#libs/core/ids.js';

/** The block that is simulated on. */
export interface ProbeHead {
  readonly height: number;
  readonly hash: Hex;
  /** Unix ms, the block's own. */
  readonly time: number;
  readonly baseFee: bigint;
  readonly miner: Hex;
}

const GWEI = 1_000_000_000n;
/** More than any gas of a simulation costs. */
export const PURSE = quantity(10n ** 26n);

export const atHead = ({ hash }: ProbeHead) => ({ blockHash: `0x${hash}` });

/** What a transaction at the head pays: a token that trades only for free is one that knows simulations. */
export const gasPrice = ({ baseFee }: ProbeHead): string => quantity(2n * baseFee + GWEI);

/** The newest block of a node. */
export async function readProbeHead(endpoint: RpcEndpoint, signal?: AbortSignal): Promise<ProbeHead> {
  const block = await endpoint.call<Record<string, unknown> | null>('eth_getBlockByNumber', ['latest', false], signal);
  const text = (name: string, form: RegExp): string => {
    const value = block?.[name];
    if (typeof value !== 'string' || !form.test(value)) throw endpoint.error('invalid', `a block without its ${name}`);
    return value.slice(2).toLowerCase();
  };
  const amount = /^0x[0-9a-f]+$/i;
  return {
    height: Number.parseInt(text('number', amount), 16),
    hash: text('hash', /^0x[0-9a-f]{64}$/i),
    time: Number.parseInt(text('timestamp', amount), 16) * 1_000,
    baseFee: block?.baseFeePerGas === undefined ? 0n : BigInt(`0x${text('baseFeePerGas', amount)}`),
    miner: text('miner', /^0x[0-9a-f]{40}$/i),
  };
}
