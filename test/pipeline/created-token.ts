import type { BoardAnswer, BoardRow } from '#libs/serve/contract/rest/launchpad-body.js';
import type { PoolAnswer } from '#libs/serve/contract/rest/pool-body.js';
import type { SearchAnswer } from '#libs/serve/contract/rest/search-body.js';
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
  /** Whether the curve is served as a pool: where creations name none it is one from its first trade on. */
  readonly hasPool: boolean;
  /** Whether it sets the token's price. */
  readonly setsPrice: boolean;
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

/** What was built and never signed is on no page and in no list. */
export async function expectAbsent(market: MarketClient, { chain, address, curve, creator }: Absent): Promise<void> {
  const statuses = await Promise.all(
    [`/tokens/${chain}/${address}`, `/pools/${chain}/${curve}`].map((path) => market.status(path)),
  );
  const lists = await Promise.all([
    market.pages<BoardAnswer>(`/launchpad/new?chain=${chain}&limit=200`),
    market.pages<SearchAnswer>(`/search?chain=${chain}&q=${creator}&limit=200`),
  ]);
  const listed = lists.flat().flatMap(({ data }: BoardAnswer | SearchAnswer) => data.map((row) => row.address));
  expect([statuses, listed.includes(address)]).toEqual([[404, 404], false]);
}

type Absent = Pick<CreatedToken, 'chain' | 'address' | 'curve' | 'creator'>;

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

  const path = `/pools/${chain}/${curve}`;
  const trades = await market.trades(address, chain);
  if (bought === null) expect(trades).toEqual([]);
  else {
    expect(trades).toEqual([
      expect.objectContaining({ ...bought, side: 'buy', pool: curve, dex, wallet: creator, time: createdAt }),
    ]);
  }
  if (!told.hasPool) {
    expect([await market.status(path), token.priceUsd, bought]).toEqual([404, null, null]);
    return row;
  }
  const { data: pool } = await market.get<PoolAnswer>(path);
  const { baseToken, quoteToken } = pool;
  expect([pool.dex, baseToken.address]).toEqual([dex, address]);
  expect(pool.price === null).toBe(told.price === null);
  if (told.price !== null) expect(Math.abs(pool.price! / told.price - 1)).toBeLessThan(DIGITS);
  const { reserves } = told;
  if (reserves !== null) expect([baseToken.reserve, quoteToken.reserve]).toEqual([reserves.token, reserves.coin]);
  // A curve sets the price from its first trade on.
  expect([pool.setsPrice, token.priceUsd !== null]).toEqual([told.setsPrice, told.setsPrice]);
  if (token.priceUsd !== null) {
    expect(Math.abs(token.priceUsd / (pool.price! * quoteToken.priceUsd!) - 1)).toBeLessThan(DIGITS);
  }
  return row;
}
