import type { BlockGroup, LaunchEvent, ReferenceSet } from '#libs/protocol/blocks.js';
import type { FactsBlock } from '#libs/protocol/facts.js';
import type { TokenLaunch } from '../projection.js';

/** Launch and creation of every token, looked up in all of these blocks at once. In no particular order. */
export function naiveLaunches(
  _: readonly FactsBlock[],
  recorded: readonly BlockGroup[],
  { coin, stables, family }: ReferenceSet,
): TokenLaunch[] {
  const all = recorded.flatMap((block) =>
    block.events.map((event) => ({ event, time: block.time, sender: block.txs[event.tx]!.sender })),
  );
  const named = all.flatMap(({ event }) => (event.kind === 'launch' || event.kind === 'transfer' ? [event.token] : []));
  const never = new Set([coin.token, ...stables]);
  return [...new Set(named)]
    .filter((token) => !never.has(token))
    .flatMap((token) => {
      const steps = all.flatMap(({ event, time }) =>
        event.kind === 'launch' && event.token === token ? [{ ...event, time }] : [],
      );
      const mint = all.find(
        ({ event }) =>
          event.kind === 'transfer' && event.token === token && event.amount > 0n && /^(00)+$/.test(event.from),
      );
      if (steps.length > 0) return [launchOf(steps)];
      if (mint === undefined || family !== 'evm') return [];
      return [{ ...nothing(token), origin: 1, creator: mint.sender, createdAt: mint.time }];
    });
}

function launchOf(steps: readonly (LaunchEvent & { time: number })[]): TokenLaunch {
  const { token, launchpad, curve } = steps[0]!;
  const own = steps.filter((step) => step.launchpad === launchpad && step.curve === curve);
  const created = own.find(({ step }) => step === 'created');
  const graduations = own.filter(({ step }) => step === 'graduated');
  const progress = own.findLast(({ step }) => step === 'progress');
  const graduated = graduations[0];
  return {
    ...nothing(token),
    ...{ origin: 2, launchpad, curve, creator: created?.party ?? '', createdAt: created?.time ?? 0 },
    progressPpm: graduated ? 1_000_000 : Math.min(progress?.progressPpm ?? 0, 1_000_000),
    graduated: graduated ? 1 : 0,
    graduatedAt: graduated?.time ?? 0,
    graduatedPool: graduations.find(({ party }) => party !== null)?.party ?? '',
  };
}

const nothing = (token: string): TokenLaunch => ({
  ...{ token, origin: 0, launchpad: '', creator: '', createdAt: 0, curve: '' },
  ...{ progressPpm: 0, graduated: 0, graduatedAt: 0, graduatedPool: '' },
});
