import { poolSpot } from '#libs/chain/amm/pool-spot.js';
import type { Hex } from '#libs/core/ids.js';
import type { E18, E36 } from '#libs/core/money.js';
import { inCoin, plausiblePrice, usdPrice } from '#libs/pipeline/fold/price-rule.js';
import { poolLiquidityUsd, type TokenWorth, tokenUsd, valuesOver } from '#libs/pipeline/fold/token-values.js';
import type { PoolRecord, TokenRecord } from '#libs/protocol/blocks.js';
import type { PoolStateFact } from '#libs/protocol/facts.js';
import type { ChainView } from './chain-view.js';
import { readPriceFacts, readPrices, readTokenRecords } from './read-prices.js';
import { readWindows, type StatsWindowName, type TokenWindow } from './read-stats.js';

export interface PoolSideState {
  token: Hex;
  record: TokenRecord | null;
  /** Raw units that the pool holds; null where they are not known. */
  reserve: bigint | null;
  priceUsd: E36 | null;
}

export interface PoolView {
  pool: PoolRecord;
  createdAt: number | null;
  /** The token of the higher price level, the lower address on a tie. */
  base: PoolSideState;
  quote: PoolSideState;
  /** Whole quote tokens for one whole base token, by the pool's own state. */
  spot: E36 | null;
  /** The same in USD and in the coin, at the quote token's price. */
  spotUsd: E36 | null;
  spotCoin: E36 | null;
  liquidityUsd: E18 | null;
  /** Of the base token as far as this pool backs its price. */
  worth: TokenWorth;
  setApart: PoolStateFact['setApart'];
  /** Whether it is the deepest of those that back the base token's price. */
  setsPrice: boolean;
  stats: Record<StatsWindowName, TokenWindow>;
}

/** One pool at a view, or null when no block named it. */
export async function readPool(view: ChainView, id: Hex): Promise<PoolView | null> {
  const found = await readRecord(view, id);
  if (found === null) return null;
  const { pool, time } = found;
  const sides = [pool.token0, pool.token1];
  const [records, facts, lookup, state] = await Promise.all([
    readTokenRecords(view, sides),
    readPriceFacts(view, sides),
    readPrices(view, sides),
    readState(view, id),
  ]);
  const levelOf = (token: Hex): number => referenceLevel(view, token) ?? facts.get(token)?.level ?? NO_LEVEL;
  const [level0, level1] = [levelOf(pool.token0), levelOf(pool.token1)];
  const baseIs0 = level0 === level1 ? pool.token0 < pool.token1 : level0 > level1;
  const side = (isToken0: boolean): PoolSideState => {
    const token = isToken0 ? pool.token0 : pool.token1;
    const reserve = state === null ? null : isToken0 ? state.reserve0 : state.reserve1;
    return { token, record: records.get(token) ?? null, reserve, priceUsd: tokenUsd(lookup, token) };
  };
  const [base, quote] = [side(baseIs0), side(!baseIs0)];
  const spotIn = (at: PoolNumbers | null) => spotOf(pool, at, { baseIs0, base: base.record, quote: quote.record });
  const spot = spotIn(state);
  const spotUsd = inUsd(spot, quote.priceUsd);
  const spotBefore = async (time: number): Promise<E36 | null> => {
    const [numbers, prices] = await Promise.all([
      readState(view, id, time + 1),
      readPrices(view, [quote.token], time + 1),
    ]);
    return inUsd(spotIn(numbers), tokenUsd(prices, quote.token));
  };
  const decimals = (token: Hex) => records.get(token)?.decimals ?? null;
  return {
    pool,
    createdAt: pool.created ? time : null,
    ...{ base, quote, spot, spotUsd },
    spotCoin: inCoin(spotUsd, tokenUsd(lookup, view.chain.wrappedNative.token)),
    liquidityUsd:
      state === null || state.setApart !== null
        ? null
        : poolLiquidityUsd(valuesOver(lookup), {
            ...{ token0: pool.token0, token1: pool.token1, reserve0: state.reserve0, reserve1: state.reserve1 },
            ...{ decimals0: decimals(pool.token0), decimals1: decimals(pool.token1) },
          }),
    worth: valuesOver(lookup).about(base.token, id),
    setApart: state?.setApart ?? null,
    setsPrice: facts.get(base.token)?.pool === id,
    stats: await readWindows(view, base.token, spotBefore, id),
  };
}

const NO_LEVEL = 4;

/** Levels of the tokens that have no price fact of their own. */
function referenceLevel({ chain }: ChainView, token: Hex): number | null {
  if (chain.stables.some((stable) => stable.token === token)) return 0;
  return token === chain.wrappedNative.token ? 1 : null;
}

async function readRecord(view: ChainView, id: Hex): Promise<{ pool: PoolRecord; time: number } | null> {
  for (let i = view.groups.length - 1; i >= 0; i--) {
    const { facts } = view.groups[i]!;
    if (facts.kind !== 'block') continue;
    const pool = facts.pools.find((candidate) => candidate.pool === id);
    if (pool !== undefined) return { pool, time: facts.time };
  }
  const [stored] = await view.reads.poolRecords(view.tables, [id]);
  return stored === undefined ? null : { pool: stored, time: stored.time };
}

interface PoolNumbers {
  reserve0: bigint;
  reserve1: bigint;
  sqrtPriceX96: bigint;
  anchored: boolean;
  setApart: PoolStateFact['setApart'];
}

type StatedPool = Pick<PoolStateFact, 'reserve0' | 'reserve1' | 'anchored' | 'setApart'> & {
  concentrated: { sqrtPriceX96: bigint } | null;
};

/** The pool's newest state, or the one that the last block with an earlier time left. */
async function readState(view: ChainView, id: Hex, before?: number): Promise<PoolNumbers | null> {
  for (let i = view.groups.length - 1; i >= 0; i--) {
    const { facts } = view.groups[i]!;
    if (before !== undefined && facts.time >= before) continue;
    const state = facts.poolStates.find((candidate) => candidate.pool === id);
    if (state !== undefined) return numbersOf(state);
  }
  const stored = (await view.reads.poolStates(view.tables, [id], before)).get(id);
  return stored === undefined ? null : numbersOf(stored);
}

const numbersOf = ({ reserve0, reserve1, anchored, setApart, concentrated }: StatedPool): PoolNumbers => ({
  ...{ reserve0, reserve1, anchored, setApart },
  sqrtPriceX96: concentrated?.sqrtPriceX96 ?? 0n,
});

interface Pairing {
  baseIs0: boolean;
  base: TokenRecord | null;
  quote: TokenRecord | null;
}

function spotOf(pool: PoolRecord, state: PoolNumbers | null, { baseIs0, base, quote }: Pairing): E36 | null {
  if (state === null || !state.anchored || state.setApart !== null) return null;
  const [baseDecimals, quoteDecimals] = [base?.decimals ?? null, quote?.decimals ?? null];
  if (baseDecimals === null || quoteDecimals === null) return null;
  const { reserve0, reserve1, sqrtPriceX96 } = state;
  const [baseReserve, quoteReserve] = baseIs0 ? [reserve0, reserve1] : [reserve1, reserve0];
  const numbers = { sqrtPriceX96, baseReserve, quoteReserve, baseIsToken0: baseIs0, baseDecimals, quoteDecimals };
  return poolSpot(pool.kind).exact(numbers);
}

const inUsd = (spot: E36 | null, quoteUsd: E36 | null): E36 | null =>
  spot === null || quoteUsd === null ? null : plausiblePrice(usdPrice(spot, quoteUsd));
