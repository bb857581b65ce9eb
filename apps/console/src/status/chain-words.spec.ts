import { chainStates } from '#libs/serve/contract/rest/status-body.js';
import { buildingSentence, chainSentence, proofSentence, stateWord } from './chain-words.js';

describe('words for the state of a chain', () => {
  it.each(chainStates)('has a word and a whole sentence for %s', (state) => {
    expect(stateWord[state].word).not.toBe('');
    expect(chainSentence({ state, lagSeconds: null, trouble: null, indexed: null })).toMatch(/^[a-z].*\.$|\?$/);
  });

  it('says how old the newest block is', () => {
    const indexed = { block: 5, checkpointBlock: 4 };
    expect(chainSentence({ state: 'live', lagSeconds: 2, trouble: null, indexed })).toBe(
      'is in sync; its latest block is 2 s old.',
    );
    expect(chainSentence({ state: 'waiting', lagSeconds: 3_700, trouble: null, indexed })).toContain('1 h 1 min old');
  });

  it.each(['full', 'sampled', 'none'] as const)('says in a sentence that a block was checked: %s', (proof) => {
    expect(proofSentence[proof]).toMatch(/newest block.*\.$/);
  });

  it('says what an upgrade builds, how far and how long still', () => {
    const building = {
      ...{ version: 'e1.f3', served: 'e1.f2', reason: 'fold version 3 instead of 2' },
      ...{ percent: 43.21, block: 5, etaSeconds: 80, waiting: null },
    };
    expect(buildingSentence(building)).toBe('Upgrade (fold version 3 instead of 2): 43.2% · 1 min 20 s left');
    expect(buildingSentence({ ...building, etaSeconds: null })).toBe('Upgrade (fold version 3 instead of 2): 43.2%');
    expect(buildingSentence({ ...building, waiting: 'a node has no old blocks' })).not.toContain('left');
  });
});
