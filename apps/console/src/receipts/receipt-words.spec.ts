import type { EvmReceipt } from '#libs/protocol/rest/evm/receipt-body.js';
import { bps, bpsTone, stateWords, summaryWords } from './receipt-words.js';

it.each([
  [null, '—', 'flat'],
  [0, '0 bps', 'flat'],
  [1.25, '+1.25 bps', 'up'],
  [-0.4, '−0.4 bps', 'down'],
  [-1234.5, '−1,234.5 bps', 'down'],
])('%p is %s', (value, text, tone) => expect([bps(value), bpsTone(value)]).toEqual([text, tone]));

it.each([
  ['executed', -1, 'executed'],
  ['expired', -1, 'expired'],
  ['built', 1, 'built'],
  ['built', -1, 'past its deadline'],
] as const)('%s with %i ms left is said as %s', (state, left, word) => {
  const receipt = { state, deadline: new Date(10_000 + left).toISOString() } as EvmReceipt;
  expect(stateWords(receipt, 10_000).word).toBe(word);
});

it.each([
  [1, 1, 'One build, executed'],
  [1, 0, 'One build, 0 executed'],
  [12, 12, '12 builds, all executed'],
  [1_200, 7, '1,200 builds, 7 executed'],
])('%i builds of which %i are executed', (count, executed, text) =>
  expect(summaryWords({ count, executed, medianDifferenceBps: null, worstDifferenceBps: null })).toBe(text),
);
