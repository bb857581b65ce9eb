import type { Meta } from '#libs/serve/contract/rest/meta.js';
import type { BuildingStatus, ChainStatus } from '#libs/serve/contract/rest/status-body.js';
import { longSpan } from '../format/times.js';

type ChainFacts = Pick<ChainStatus, 'state' | 'lagSeconds' | 'trouble' | 'indexed'>;

/** What a chain is doing, in words that follow its name. */
export function chainSentence({ state, lagSeconds, trouble, indexed }: ChainFacts): string {
  const behind = lagSeconds === null ? '' : `; its latest block is ${ageOf(lagSeconds)} old`;
  switch (state) {
    case 'starting':
      return 'is starting: the log and the nodes are being opened.';
    case 'history':
      return 'is catching up with its history. Newer blocks follow by themselves.';
    case 'live':
      return indexed === null ? 'is read at its head; answers follow in a moment.' : `is in sync${behind}.`;
    case 'waiting':
      return `waits: its nodes announce nothing new${behind}.`;
    case 'stopped':
      return trouble === null ? 'has stopped: the log of the program says why.' : 'has stopped.';
    case 'unknown':
      return 'has not reported yet: is its ingest process running?';
  }
}

/** What is built next to the served version, how far and how long still. */
export function buildingSentence({ reason, percent, etaSeconds, waiting }: BuildingStatus): string {
  const left = etaSeconds === null || waiting !== null ? '' : ` · ${longSpan(etaSeconds * 1000)} left`;
  return `Upgrade (${reason}): ${percent.toFixed(1)}%${left}`;
}

/** How the newest block that answers include was checked. */
export const proofSentence: Readonly<Record<Meta['proof'], string>> = {
  full: 'All of its newest block was checked against what the block’s header commits to.',
  sampled: 'Nothing is left out of its newest block; what is in it was checked in some blocks only.',
  none: 'Its newest block was not checked: it is as one node says.',
};

/** Of a block; what is younger than a second is fresh enough. */
export const ageOf = (seconds: number): string => (seconds < 1 ? 'under 1 s' : longSpan(seconds * 1000));

export const stateWord: Readonly<Record<ChainStatus['state'], { word: string; tone: 'good' | 'busy' | 'bad' }>> = {
  starting: { word: 'starting', tone: 'busy' },
  history: { word: 'catching up', tone: 'busy' },
  live: { word: 'live', tone: 'good' },
  waiting: { word: 'waiting', tone: 'bad' },
  stopped: { word: 'stopped', tone: 'bad' },
  unknown: { word: 'no report', tone: 'bad' },
};
