/**
 * A random market that has what a spec looks at: the first served one from the seed on. What a single history may lack is
 * asked for here, so that no expectation hangs on one; the spec still fails when the answers do not show it.
 */
import type { BlockGroup } from '#libs/protocol/blocks.js';
import type { HistoryOptions } from '../histories/random-history.js';
import { type RandomMarket, servedMarket } from './market-harness.js';
import { NaiveMarket } from './naive-market.js';

/** Far more than the rarest of what is asked for needs. */
const MOST = 300;

export function marketWith(
  seed: number,
  options: HistoryOptions,
  has: (naive: NaiveMarket, market: RandomMarket) => boolean,
): RandomMarket {
  for (let n = 0; n < MOST; n++) {
    const market = servedMarket(seed + n * 7_919, options);
    if (has(new NaiveMarket(market.chain, market.facts, market.facts.length - 1), market)) return market;
  }
  throw new Error(`none of ${MOST} histories from seed ${seed} on has what the spec looks at`);
}

/** The recorded blocks behind those that survive. */
export function recordedOf(naive: NaiveMarket, market: RandomMarket): BlockGroup[] {
  return naive.blocks.map(({ seq }) => market.recorded[seq] as BlockGroup);
}
