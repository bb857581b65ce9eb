import { forEachYielding } from '#libs/core/for-each-yielding.js';
import type { Hex } from '#libs/core/ids.js';
import { type Backing, backingOfPrice } from '#libs/pipeline/fold/backing.js';
import { type PriceLookup, poolLiquidityUsd, type TokenValues, valuesOver } from '#libs/pipeline/fold/token-values.js';
import { holders } from '#libs/pipeline/projections/holders/projection.js';
import { launches } from '#libs/pipeline/projections/launches/projection.js';
import type { TokenSpot } from '#libs/pipeline/store/market/all-rows.js';
import type { PoolRecord } from '#libs/protocol/blocks.js';
import type { ReferencePrice } from '#libs/protocol/facts.js';
import type { ChainView } from './chain-view.js';
import type { LayeredMap } from './layered-map.js';
import { type MarketState, MarketStates, rowOf } from './market-state.js';
import { readMarketStats } from './market-stats.js';
import { type MarketPast, MarketToken } from './market-token.js';
import { readReferences } from './read-prices.js';
import { statsWindows } from './read-stats.js';
import { MOST_POOLS } from './read-token.js';
import { tokenOrigin } from './token-launch.js';
import { tokenSupply } from './token-supply.js';

/** All tokens and pools of a chain at one view. */
export interface Market {
  view: ChainView;
  tokens: ReadonlyMap<Hex, MarketToken>;
  /** By address. */
  pool(id: Hex): PoolRecord | undefined;
}

/**
 * Every token at a view, with the price, the liquidity and the counts that `readToken` gives for it there. `states`
 * keeps the parts that later reads of the same chain use again.
 */
export async function readMarket(view: ChainView, states = new MarketStates()): Promise<Market> {
  const starts = Object.values(statsWindows).map((length) => view.head.time - length);
  const [state, counts, references, ...referencesBefore] = await Promise.all([
    states.read(view),
    readMarketStats(view, states.storedStats, states.lastTrades),
    readReferences(view),
    ...starts.map((start) => readReferences(view, start + 1)),
  ]);
  const before = referencesBefore.map((prices, index) => lookupOf(prices, state.spotsBefore[index]!));
  const lookup = lookupOf(references, state.spots);
  const tokens = await priceTokens(state, lookup, { counts, before });
  await addLiquidity(state, tokens, valuesOver(lookup));
  return { view, tokens, pool: (id) => state.pools.get(id) };
}

async function priceTokens(
  state: MarketState,
  lookup: PriceLookup,
  past: MarketPast,
): Promise<ReadonlyMap<Hex, MarketToken>> {
  const values = valuesOver(lookup);
  const tokens = new Map<Hex, MarketToken>();
  await forEachYielding(state.tokens.entries(), ([token, record]) => {
    const counts = rowOf(state, holders, token);
    const supply = tokenSupply(record, counts);
    const origin = tokenOrigin(rowOf(state, launches, token), counts);
    const level = lookup.reference(token) !== undefined ? 0 : (state.spots.get(token)?.level ?? 4);
    tokens.set(token, new MarketToken(token, record, supply, origin, values, level, past));
  });
  return tokens;
}

/** Sums up what each pool holds for both of its tokens. */
async function addLiquidity(
  { pools, amounts }: MarketState,
  tokens: ReadonlyMap<Hex, MarketToken>,
  values: TokenValues,
): Promise<void> {
  await forEachYielding(pools.entries(), ([id, { token0, token1 }]) => {
    const [first, second] = [tokens.get(token0), tokens.get(token1)];
    const held = amounts.get(id);
    const value =
      held === undefined || held.setApart !== null
        ? null
        : poolLiquidityUsd(values, {
            ...{ token0, token1, reserve0: held.reserve0, reserve1: held.reserve1 },
            ...{ decimals0: first?.record.decimals ?? null, decimals1: second?.record.decimals ?? null },
          });
    first?.addPool(value);
    second?.addPool(value);
  });
  for (const token of tokens.values()) if (token.poolCount > MOST_POOLS) token.liquidityUsd = null;
}

function lookupOf(references: readonly ReferencePrice[], spots: LayeredMap<TokenSpot>): PriceLookup {
  const usd = new Map(references.map((reference) => [reference.token, reference.usd]));
  const backing = (token: Hex): Backing | null => {
    const spot = spots.get(token);
    return spot === undefined ? null : backingOfPrice(spot);
  };
  return { reference: (token) => usd.get(token), backing };
}
