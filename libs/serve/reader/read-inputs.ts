import type { Hex } from '#libs/core/ids.js';
import type { E36 } from '#libs/core/money.js';
import type { PricePart } from '#libs/pipeline/fold/backing.js';
import { measuredOf } from '#libs/pipeline/fold/references.js';
import { tokenUsd } from '#libs/pipeline/fold/token-values.js';
import { isComplete, type TokenHolders } from '#libs/pipeline/projections/holders/projection.js';
import {
  type CandlePrice,
  type CountedQuery,
  candlePrices,
  type LogPlace,
  type PricedPlace,
} from '#libs/pipeline/store/market/explain-reads.js';
import type { ChainView } from './chain-view.js';
import { readHolderCounts } from './read-holders.js';
import { readPrices } from './read-prices.js';
import { readTrades } from './read-trades.js';
import { isStable } from './stable-prices.js';

/** What prices, candles and numbers of holders of a view were computed from: places in the chain. */
export interface PriceStepInput {
  token: Hex;
  pool: Hex | null;
  quote: Hex | null;
  /** In the quote token; in USD where there is none. */
  price: E36 | null;
  block: number | null;
  trade: LogPlace | null;
  /** All pools that back the price, the step's own first; none for the coin and stables. */
  parts: readonly PricePart[];
  /** Of a stable what its pools say where it counts as something else, or as that. */
  measured: E36 | null;
}

const MOST_STEPS = 4;

/** From a token to the coin or a stable, as `tokenUsd` walks. */
export async function readPriceInputs(view: ChainView, token: Hex): Promise<PriceStepInput[]> {
  const lookup = await readPrices(view, [token]);
  const steps: PriceStepInput[] = [];
  for (let at: Hex | null = token; at !== null && steps.length < MOST_STEPS; ) {
    if (lookup.reference(at) !== undefined) {
      const block = await referenceBlock(view);
      const price = tokenUsd(lookup, at);
      const measured = price === null || !isStable(view.chain, at) ? null : measuredOf(price, view.chain.priceRules);
      steps.push({ token: at, pool: null, quote: null, price, block, trade: null, parts: [], measured });
      break;
    }
    const fact = await newestPrice(view, at);
    if (fact === null || fact.pool === null) break;
    const { pool, quote, spot, block } = fact;
    const trade = await lastTrade(view, at, pool, block);
    const parts = lookup.backing(at)?.parts ?? [];
    steps.push({ token: at, pool, quote, price: spot, block, trade, parts, measured: null });
    at = quote;
  }
  return steps;
}

interface PlacedPrice {
  pool: Hex | null;
  quote: Hex | null;
  spot: E36 | null;
  block: number;
}

async function newestPrice(view: ChainView, token: Hex): Promise<PlacedPrice | null> {
  for (let i = view.groups.length - 1; i >= 0; i--) {
    const { facts } = view.groups[i]!;
    const price = facts.prices.find((candidate) => candidate.token === token);
    // What a retraction restores is in the block that it goes back to, or in one before.
    if (price === undefined || facts.kind !== 'block') continue;
    return { ...price, block: facts.height };
  }
  return (await view.reads.prices(view.tables, [token]))[0] ?? null;
}

async function referenceBlock(view: ChainView): Promise<number | null> {
  const stated = view.groups.findLast(({ facts }) => facts.kind === 'block' && facts.references.length > 0);
  return stated === undefined ? view.reads.referenceBlock(view.tables) : stated.facts.height;
}

/** The last trade of a pool in a block: what left the pool's price there. */
async function lastTrade(view: ChainView, token: Hex, pool: Hex, block: number): Promise<LogPlace | null> {
  const { trades } = await readTrades(view, { token, pool, before: { block: block + 1, ordinal: 0 }, limit: 1 });
  const [last] = trades;
  return last !== undefined && last.block === block ? last : null;
}

export type CandleInputPlaces = Readonly<Record<CandlePrice, PricedPlace | null>>;

/** The trades that are the prices of one candle. */
export async function readCandleInputs(view: ChainView, query: CountedQuery): Promise<CandleInputPlaces> {
  const tail = tailTrades(view, query);
  const found = await Promise.all(
    candlePrices.map(async (price) => {
      const stored = await view.reads.countedTrade(view.tables, query, price);
      const [first] = [...(stored === null ? [] : [stored]), ...tail].sort(orders[price]);
      return [price, first ?? null] as const;
    }),
  );
  return Object.fromEntries(found) as unknown as CandleInputPlaces;
}

const early = (a: LogPlace, b: LogPlace): number => a.block - b.block || a.ordinal - b.ordinal;
const cheap = (a: PricedPlace, b: PricedPlace): number =>
  a.priceUsd === b.priceUsd ? 0 : a.priceUsd < b.priceUsd ? -1 : 1;

const orders: Readonly<Record<CandlePrice, (a: PricedPlace, b: PricedPlace) => number>> = {
  open: early,
  close: (a, b) => early(b, a),
  high: (a, b) => cheap(b, a) || early(a, b),
  low: (a, b) => cheap(a, b) || early(a, b),
};

function tailTrades({ groups }: ChainView, { token, pool, fromTime, toTime }: CountedQuery): PricedPlace[] {
  return groups.flatMap((group) => {
    const { height, time } = group.facts;
    if (time < fromTime || time >= toTime) return [];
    return group.tradesOf(token).flatMap(({ base, uncounted, priceUsd, pool: at, ordinal, tx }) => {
      const wanted = base === token && uncounted === null && (pool === undefined || pool === at);
      return wanted && priceUsd !== null ? [{ block: height, ordinal, tx, priceUsd }] : [];
    });
  });
}

export interface HolderInputPlaces {
  counts: TokenHolders | null;
  complete: boolean;
  first: LogPlace | null;
  last: LogPlace | null;
}

export async function readHolderInputs(view: ChainView, token: Hex): Promise<HolderInputPlaces> {
  const tail = view.groups.flatMap(({ facts }) =>
    facts.kind !== 'block'
      ? []
      : facts.transfers
          .filter((transfer) => transfer.token === token)
          .map(({ tx, ordinal }): LogPlace => ({ block: facts.height, ordinal, tx })),
  );
  const [counts, first, last] = await Promise.all([
    readHolderCounts(view, [token]),
    view.reads.edgeTransfer(view.tables, token, 'first'),
    tail.at(-1) ?? view.reads.edgeTransfer(view.tables, token, 'last'),
  ]);
  const own = counts.get(token) ?? null;
  return { counts: own, complete: isComplete(own), first: first ?? tail[0] ?? null, last };
}
