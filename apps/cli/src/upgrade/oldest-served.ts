import { oldestEvmBlock } from '#libs/chain/chains/evm/oldest-block.js';
import { RpcPool } from '#libs/chain/chains/evm/rpc/rpc-pool.js';
import { SolanaPool } from '#libs/chain/chains/solana/rpc/node-pool.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';

const LONGEST_MS = 20_000;

export interface ServedHistory {
  /** Lowest height at or above the asked one that a node serves; null where none could be asked. */
  oldest: number | null;
  /** Why it is not known. */
  problem: string | null;
}

/** How far back the chain's nodes serve blocks: the best of them counts, since each is asked where another one lacks. */
export async function oldestServed(chain: ChainSpec, urls: readonly string[], from: number): Promise<ServedHistory> {
  const answering = urls.filter((url) => /^https?:/.test(url));
  if (answering.length === 0) return { oldest: null, problem: 'no node is configured here' };
  let best: number | null = null;
  let problem: string | null = null;
  for (const [index, url] of answering.entries()) {
    try {
      const oldest = await oldestOf(chain, url, from, AbortSignal.timeout(LONGEST_MS));
      if (oldest !== null && (best === null || oldest < best)) best = oldest;
      if (best === from) break;
    } catch (error) {
      const isLate = (error as Error).name === 'TimeoutError' || (error as Error).name === 'AbortError';
      problem = `node ${index + 1} ${isLate ? 'does not answer' : `cannot be asked: ${(error as Error).message}`}`;
    }
  }
  return { oldest: best, problem: best === null ? (problem ?? 'no node has a block from there on') : null };
}

async function oldestOf(chain: ChainSpec, url: string, from: number, signal: AbortSignal): Promise<number | null> {
  const options = { urls: [url], timeoutMs: 10_000, maxCoolDownMs: 1_000 };
  if (chain.family === 'evm') {
    const pool = new RpcPool({ ...options, chainId: chain.chainId! });
    try {
      return await oldestEvmBlock(pool, from, signal);
    } finally {
      await pool.close();
    }
  }
  const pool = new SolanaPool(options);
  try {
    return Math.max(from, await pool.use((endpoint) => endpoint.firstAvailable(signal), signal));
  } finally {
    await pool.close();
  }
}
