import type { ChainStatus, ReorgStatus } from '#libs/serve/contract/rest/status-body.js';
import { newestReorg, reorgCount, reorgSentence } from './reorgs.js';

const state = (chain: string, reorgs: Partial<ReorgStatus>): ChainStatus =>
  ({ chain, reorgs: { count: 0, deepest: 0, last: null, since: null, ...reorgs } }) as ChainStatus;

const eth = state('eth', { count: 1, deepest: 1, last: { time: 50, depth: 1, fromBlock: 1000 }, since: 0 });
const base = state('base', { count: 4, deepest: 3, last: { time: 70, depth: 2, fromBlock: 9 }, since: 0 });
const bsc = state('bsc', {});

describe('reorgs of the chains', () => {
  it('are told newest first, of the chain that the page is about', () => {
    expect(newestReorg([eth, base, bsc], null)?.chain).toBe('base');
    expect(newestReorg([base, eth], null)?.chain).toBe('base');
    expect(newestReorg([eth, base, bsc], 'eth')?.chain).toBe('eth');
    expect(newestReorg([eth, base, bsc], 'bsc')).toBeNull();
    expect(newestReorg([eth, base, bsc], 'not served')?.chain).toBe('base');
    expect(newestReorg([], null)).toBeNull();
  });

  it('are sentences', () => {
    expect(reorgSentence(newestReorg([eth], null)!)).toBe('Reorg on eth: block 1000 was replaced');
    expect(reorgSentence(newestReorg([base], null)!)).toBe('Reorg on base: 2 blocks from 9 were replaced');
  });

  it('are counted since the chain is read', () => {
    expect(reorgCount(bsc, 65_000)).toBeNull();
    expect(reorgCount(eth, 65_000)).toBe('1 reorg in 1 m, 1 block deep');
    expect(reorgCount(base, 40_000)).toBe('4 reorgs in 40 s, the deepest 3 blocks deep');
    expect(reorgCount(state('eth', { count: 2, deepest: 1 }), 5)).toBe('2 reorgs, the deepest 1 block deep');
  });
});
