import type { Hex } from '#libs/core/ids.js';
import type { LaunchEvent } from '#libs/protocol/blocks.js';
import { SeededRandom } from '../seeded-random.js';

/**
 * Steps of launches that a transaction of a random history takes: now and then, in any order, of tokens of every kind, on a
 * curve of the token or on another one. A function of the transaction's id, so that it launches the same when it is mined again.
 */
export function launchSteps(tx: Hex, sender: Hex, tokens: readonly Hex[], pools: readonly Hex[]): Launch[] {
  const random = new SeededRandom(Number.parseInt(tx.slice(0, 8), 16));
  if (!random.chance(0.12)) return [];
  return Array.from({ length: random.int(1, 2) }, (): Launch => {
    const token = random.pick(tokens);
    const own = { launchpad: 'pumpfun', curve: `c0${token.slice(2)}` };
    const other = { launchpad: 'meteora-dbc', curve: `c1${token.slice(2)}` };
    const of = { kind: 'launch' as const, token, ...(random.chance(0.85) ? own : other) };
    const step = random.pick(['created', 'created', 'progress', 'progress', 'progress', 'graduated'] as const);
    if (step === 'created') return { ...of, step, party: sender, progressPpm: 0 };
    if (step === 'progress') return { ...of, step, party: null, progressPpm: random.int(1, 1_000_000) };
    const party = pools.length > 0 && random.chance(0.6) ? random.pick(pools) : null;
    return { ...of, step, party, progressPpm: 1_000_000 };
  });
}

type Launch = Omit<LaunchEvent, 'tx' | 'ordinal'>;
