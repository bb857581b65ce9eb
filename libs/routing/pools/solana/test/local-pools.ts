import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import { SolanaPool } from '#libs/chain/chains/solana/rpc/node-pool.js';
import { TIDEPOOL_AMM, TIDEPOOL_LAUNCHPAD } from '#libs/chain/chains/solana/tidepool-programs.js';
import { tidepoolCurves } from '#libs/chain/launchpads/tidepool/quote.js';
import { tidepoolAmmPools } from '#libs/chain/venues/tidepool-amm/quote.js';
import type { MarketContents } from '#libs/devkit/devnet/solana/market/local-solana-market.js';
import type { PoolRecord } from '#libs/protocol/blocks.js';
import { PoolBook } from '../../pool-book.js';

/** What the log would know of a local market: its pools and curves, as records without a state. */
export const localSources = [tidepoolAmmPools(TIDEPOOL_AMM), tidepoolCurves(TIDEPOOL_LAUNCHPAD)];

export const hexOf = (address: string): string => solanaIds.parseAddress(address)!;

export function recordsOf({ pools, curves }: MarketContents): PoolRecord[] {
  const record = (venue: string, kind: PoolRecord['kind'], address: string, mints: readonly string[]): PoolRecord => {
    const [token0, token1] = mints.map(hexOf).sort() as [string, string];
    return { pool: hexOf(address), venue, kind, token0, token1, feePpm: 0, tickSpacing: 0, created: false };
  };
  return [
    ...pools.map(({ address, mintA, mintB }) => record('tidepool-amm', 'constant-product', address, [mintA, mintB])),
    ...curves.map(({ address, mint, quoteMint }) => record('tidepool', 'curve', address, [mint, quoteMint])),
  ];
}

export function bookOf(contents: MarketContents): PoolBook {
  const book = new PoolBook();
  for (const record of recordsOf(contents)) load(book, record);
  return book;
}

export const load = (book: PoolBook, record: PoolRecord): void =>
  book.load(
    record,
    { pool: record.pool, reserve0: 0n, reserve1: 0n, concentrated: null, anchored: false, setApart: null },
    0,
  );

export const nodesAt = (...urls: string[]): SolanaPool =>
  new SolanaPool({ urls, coolDownMs: 5, maxCoolDownMs: 20, timeoutMs: 2_000 });
