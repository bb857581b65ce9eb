import type { Hex } from '#libs/core/ids.js';
import type { SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import type { SubscriptionRequest } from './model-subscription.js';
import type { RestAnswers } from './rest-answers.js';

/** A subscription to every channel that a model client follows block by block, to the busiest token and to who traded. */
export function everyChannel(
  { chain, facts }: RestAnswers,
  random: SeededRandom,
  known = facts,
): SubscriptionRequest[] {
  const trades = known.flatMap((group) => (group.kind === 'block' ? group.trades : []));
  const counts = new Map<Hex, number>();
  for (const { base } of trades) counts.set(base, (counts.get(base) ?? 0) + 1);
  const [token] = [...counts].sort(([, a], [, b]) => b - a)[0]!;
  const wallet = random.pick(trades).wallet;
  const tokens = [...counts.keys()].slice(0, 3);
  const all: SubscriptionRequest[] = [
    ...(['trades', 'token', 'holders', 'traders'] as const).map((channel) => ({ channel, token })),
    { channel: 'candles', token, interval: random.pick(['1s', '1m', '1h']), currency: random.pick(['usd', 'native']) },
    { channel: 'wallet', wallet, balances: random.chance(0.5) },
    { channel: 'prices', tokens },
  ];
  return chain.family === 'evm' ? [...all, { channel: 'pairs', token } as const] : all;
}
