import type { BoardAnswer, BoardRow } from '#libs/protocol/rest/launchpad-body.js';
import type { PoolAnswer } from '#libs/protocol/rest/pool-body.js';
import type { SearchAnswer } from '#libs/protocol/rest/search-body.js';
import type { MarketClient } from '../multi-process/market-client.js';

/** What a chain says of a token that was created on a launchpad, in the units of answers. */
export interface CreatedToken {
  readonly chain: string;
  readonly platform: string;
  readonly address: string;
  /** The curve, or the pool that the launchpad made. */
  readonly curve: string;
  readonly dex: string;
  readonly creator: string;
  readonly name: string;
  readonly symbol: string;
  /** Of the block of its creation, unix ms. */
  readonly createdAt: number;
  readonly progressPercent: number;
  /** What the curve holds; null where that is not looked at. */
  readonly reserves: { readonly token: string; readonly coin: string } | null;
  /** Coins for one token, as the curve would give it now; null: nothing has said it yet. */
  readonly price: number | null;
  /** The first buy; null where there was none. */
  readonly bought: {
    readonly signature: string;
    readonly block: number;
    readonly tokenAmount: string;
    readonly quoteAmount: string;
  } | null;
}

/** Prices of answers have 15 digits and more. */
const DIGITS = 1e-9;

/** Token page, board `new`, search, curve and first trade of what was created; the row of the board. */
export async function expectServed(market: MarketClient, told: CreatedToken): Promise<BoardRow> {
  const { chain, address, creator, name, symbol, createdAt, progressPercent, curve, platform, dex, bought } = told;
  const { data: token } = await market.token(address, chain);
  const launchpad = { name: platform, progressPercent, graduated: false, graduatedAt: null, graduatedPool: null };
  expect(token).toMatchObject({ chain, address, creator, name, symbol, createdAt, launchpad });
  const board = await market.pages<BoardAnswer>(`/launchpad/new?chain=${chain}&launchpad=${platform}&limit=200`);
  const row = board.flatMap(({ data }) => data).find((each) => each.address === address)!;
  expect(row?.curve).toEqual({ progressPercent, pool: curve });
  const { curve: _, ...shown } = row;
  expect(token).toMatchObject(shown);
  const found = await market.pages<SearchAnswer>(`/search?chain=${chain}&q=${creator}&limit=200`);
  expect(found.flatMap(({ data }) => data).find((each) => each.address === address)).toEqual(shown);

  const { data: pool } = await market.get<PoolAnswer>(`/pools/${chain}/${curve}`);
  const { baseToken, quoteToken } = pool;
  expect([pool.dex, baseToken.address, quoteToken.symbol]).toEqual([dex, address, expect.any(String)]);
  expect(pool.price === null).toBe(told.price === null);
  if (told.price !== null) expect(Math.abs(pool.price! / told.price - 1)).toBeLessThan(DIGITS);
  const { reserves } = told;
  if (reserves !== null) expect([baseToken.reserve, quoteToken.reserve]).toEqual([reserves.token, reserves.coin]);

  const trades = await market.trades(address, chain);
  if (bought === null) expect(trades).toEqual([]);
  else {
    expect(trades).toEqual([
      expect.objectContaining({ ...bought, side: 'buy', pool: curve, dex, wallet: creator, time: createdAt }),
    ]);
  }
  // A curve sets the price from its first trade on.
  expect(token.priceUsd !== null).toBe(pool.setsPrice && bought !== null);
  if (token.priceUsd !== null) {
    expect(Math.abs(token.priceUsd / (pool.price! * quoteToken.priceUsd!) - 1)).toBeLessThan(DIGITS);
  }
  return row;
}
