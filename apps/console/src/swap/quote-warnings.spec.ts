import { quoteWarnings } from '#libs/serve/contract/rest/evm/quote-body.js';
import { impactText, isRisky, warningSentences } from './quote-warnings.js';

describe('what a quote warns of', () => {
  it('has a sentence for each code, and none for codes of a newer router', () => {
    const sentences = warningSentences({ warnings: [...quoteWarnings] });
    expect(new Set(sentences).size).toBe(quoteWarnings.length);
    expect(warningSentences({ warnings: ['unheard_of' as never] })).toEqual([]);
    expect([warningSentences({ warnings: [] }), warningSentences({})]).toEqual([[], []]);
  });

  it('calls a swap risky that moves the price by more than 5 %', () => {
    expect([501, 10_000].map((impactBps) => isRisky({ impactBps }))).toEqual([true, true]);
    expect([{ impactBps: 500 }, { impactBps: null }, {}].map(isRisky)).toEqual([false, false, false]);
  });

  it('shows the impact in percent where the router knows it', () => {
    expect([0, 12, 5_000].map((impactBps) => impactText({ impactBps }))).toEqual(['0.00%', '0.12%', '50.00%']);
    expect([impactText({ impactBps: null }), impactText({})]).toEqual([null, null]);
  });
});
