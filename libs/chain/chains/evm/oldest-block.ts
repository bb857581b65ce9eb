import { RpcError } from '../rpc/rpc-error.js';
import { quantity } from './quantity.js';
import type { RpcPool } from './rpc/rpc-pool.js';

/**
 * The lowest height at or above `from` whose block and logs one of the nodes serves. Nodes that drop their past drop it
 * from the beginning, so between a height that is served and one that is not there is one border.
 */
export async function oldestEvmBlock(pool: RpcPool, from: number, signal: AbortSignal): Promise<number | null> {
  return pool.use(async (endpoint) => {
    const serves = async (height: number): Promise<boolean> => {
      try {
        const number = quantity(height);
        const block = await endpoint.call<{ hash: string } | null>('eth_getBlockByNumber', [number, false], signal);
        if (block === null) return false;
        return (await endpoint.call<unknown>('eth_getLogs', [{ blockHash: block.hash }], signal)) !== null;
      } catch (error) {
        if (error instanceof RpcError && (error.kind === 'pruned' || error.kind === 'unknown-block')) return false;
        throw error;
      }
    };
    if (await serves(from)) return from;
    let lacking = from;
    let served = Number(await endpoint.call<string>('eth_blockNumber', [], signal));
    if (served <= from || !(await serves(served))) return null;
    while (served - lacking > 1) {
      const middle = Math.floor((served + lacking) / 2);
      if (await serves(middle)) served = middle;
      else lacking = middle;
    }
    return served;
  }, signal);
}
