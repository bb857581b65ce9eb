import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NOT_TAKEN } from '#libs/chain/amm/concentrated-quote.js';
import { bigintAsText } from '#libs/core/json-bigint.js';
import { ConcentratedEdge } from '#libs/routing/search/concentrated-edge.js';
import { ConstantProductEdge } from '#libs/routing/search/constant-product-edge.js';
import { installPeer } from './install-peer.js';
import { endWithUs } from './no-orphans.js';
import type { QuoteCase, QuoteMarket } from './quote-market.js';

/**
 * The public routers that quotes are measured against, in a process of their own over the very same pools. They are
 * installed into .cache/bench-peers/quote at pinned versions.
 */
export interface PeerAnswer {
  /** null: it found no route. */
  best: { pools: string[]; amountOut: string } | null;
  ms: number;
}

export type PeerRouter = 'smart-router' | 'v2-sdk' | 'v3-sdk';

const TARGET = '.cache/bench-peers/quote';

export const installQuotePeers = (): Promise<string> => installPeer('quote');

/** Asks one router the cases in order until its seconds are over; null for a case that it failed on. */
export async function askPeer(
  router: PeerRouter,
  market: QuoteMarket,
  cases: readonly QuoteCase[],
  maxHops: number,
  seconds: number,
): Promise<{ results: (PeerAnswer | null)[]; failed: number }> {
  const file = join(TARGET, 'market.json');
  await writeFile(file, marketJson(market, cases));
  const child = spawn(process.execPath, ['run.cjs', 'market.json', router, String(maxHops), String(seconds)], {
    cwd: TARGET,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  endWithUs(child);
  // One search may take longer than all of them should: it is cut off then.
  const cut = setTimeout(() => child.kill('SIGKILL'), (3 * seconds + 30) * 1000);
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  clearTimeout(cut);
  if (code === null) return { results: [], failed: 1 };
  if (code !== 0) throw new Error(`${router} ended with ${code}`);
  return JSON.parse(text) as { results: (PeerAnswer | null)[]; failed: number };
}

/** A chain of pools by the exact functions; null when a pool of it does not take what comes. */
export function reprice(
  market: QuoteMarket,
  { tokenIn, amountIn }: QuoteCase,
  pools: readonly string[],
): { amountOut: bigint; tokenTwice: boolean } | null {
  let [token, amount] = [tokenIn, amountIn];
  const seen = new Set([token]);
  for (const id of pools) {
    const pool = market.book.pool(id)!;
    const zeroForOne = pool.token0 === token;
    const Edge = pool.kind === 'constant-product' ? ConstantProductEdge : ConcentratedEdge;
    const edge = new Edge(pool, zeroForOne);
    amount = edge.usable() ? edge.exact(amount) : NOT_TAKEN;
    if (amount === NOT_TAKEN) return null;
    token = zeroForOne ? pool.token1 : pool.token0;
    seen.add(token);
  }
  return { amountOut: amount, tokenTwice: seen.size <= pools.length };
}

function marketJson(market: QuoteMarket, cases: readonly QuoteCase[]): string {
  const pools = [...market.book.pools()].map((pool) => {
    const { id, kind, token0, token1, feePpm, tickSpacing, reserve0, reserve1 } = pool;
    const { sqrtPriceX96, tick, liquidity, ticks } = pool;
    const state = kind === 'concentrated' ? { sqrtPriceX96, tick, liquidity, ticks } : { reserve0, reserve1 };
    return { pool: id, kind, token0, token1, feePpm, tickSpacing, dollars: market.dollars(pool), ...state };
  });
  const { tokens } = market;
  return JSON.stringify({ tokens, pools, cases }, bigintAsText);
}
