import type { Hex } from '#libs/core/ids.js';
import type { LaunchEvent } from '#libs/protocol/blocks.js';
import { SeededRandom } from '../seeded-random.js';

/**
 * Steps of launches that a transaction of a random history takes: now and then, in any order, of every second token, on its
 * curve or on another one. A function of the transaction's id, so that it launches the same when it is mined again.
 */
export function launchSteps(tx: Hex, sender: Hex, tokens: readonly Hex[], pools: readonly Hex[]): Launch[] {
  const random = new SeededRandom(Number.parseInt(tx.slice(0, 8), 16));
  const launched = tokens.filter((token) => digitOf(token, -1) % 2 === 0);
  if (!random.chance(0.12) || launched.length === 0) return [];
  return Array.from({ length: random.int(1, 2) }, (): Launch => {
    const token = random.pick(launched);
    const own = { launchpad: 'pumpfun', curve: `c0${token.slice(2)}` };
    const other = { launchpad: 'meteora-dbc', curve: `c1${token.slice(2)}` };
    const of = { kind: 'launch' as const, token, ...(random.chance(0.85) ? own : other) };
    // Half of them never graduate, so that both kinds are there at the end of a long history.
    const graduates = digitOf(token, -2) % 2 === 0 && random.chance(0.2);
    const step = graduates ? 'graduated' : random.pick(['created', 'progress', 'progress'] as const);
    if (step === 'created') return { ...of, step, party: sender, progressPpm: 0 };
    if (step === 'progress')
      return { ...of, step, party: null, progressPpm: random.int(random.pick([1, 700_000]), 1_000_000) };
    const party = pools.length > 0 && random.chance(0.5) ? random.pick(pools) : null;
    return { ...of, step, party, progressPpm: 1_000_000 };
  });
}

const digitOf = (id: Hex, at: number): number => Number.parseInt(id.at(at)!, 16);

type Launch = Omit<LaunchEvent, 'tx' | 'ordinal'>;
