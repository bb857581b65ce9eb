import { signal } from '@preact/signals';
import type { ChainStatus, LastReorg } from '#libs/serve/contract/rest/status-body.js';
import { heights } from '../format/heights.js';
import { shortSpan } from '../format/times.js';

/** What each chain says of its reorgs, as of the newest answer; every page shows it, and asks for it once. */
export const chainStates = signal<readonly ChainStatus[]>([]);

/** Counts the reorgs that live data announced, sooner than the next answer would. */
export const reorgHints = signal(0);

export interface ReorgNews {
  readonly chain: string;
  readonly last: LastReorg;
}

/** The newest reorg of the chain that a page is about; of all chains where it is about none that is served. */
export function newestReorg(states: readonly ChainStatus[], about: string | null): ReorgNews | null {
  const own = states.filter(({ chain }) => chain === about);
  return (own.length > 0 ? own : states).reduce<ReorgNews | null>((newest, { chain, reorgs: { last } }) => {
    return last === null || (newest !== null && newest.last.time >= last.time) ? newest : { chain, last };
  }, null);
}

/** What happened. It has no age, so that a screen reader says it once. */
export const reorgSentence = ({ chain, last: { depth, fromBlock } }: ReorgNews): string =>
  depth === 1
    ? `Reorg on ${chain}: ${heights(chain, 1)} ${fromBlock} was replaced`
    : `Reorg on ${chain}: ${depth} ${heights(chain, depth)} from ${fromBlock} were replaced`;

/** How often a chain did it, as counted, not as expected; null before the first time. */
export function reorgCount({ chain, reorgs: { count, deepest, since } }: ChainStatus, now: number): string | null {
  if (count === 0) return null;
  const span = since === null ? '' : ` in ${shortSpan(now - since)}`;
  const times = count === 1 ? '1 reorg' : `${count} reorgs`;
  return `${times}${span}, ${count === 1 ? '' : 'the deepest '}${deepest} ${heights(chain, deepest)} deep`;
}
