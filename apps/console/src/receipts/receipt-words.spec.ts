import { bps, bpsTone, differenceFigures, stateWords, summaryWords } from './receipt-words.js';

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
  const receipt = { state, deadline: new Date(10_000 + left).toISOString() };
  expect(stateWords(receipt, 10_000).word).toBe(word);
});

const summary = (count: number, executed: number, median: number | null = null, worst: number | null = null) => ({
  ...{ count, executed, medianDifferenceBps: median, worstDifferenceBps: worst },
});

it.each([
  [1, 1, 'One build, executed'],
  [1, 0, 'One build, 0 executed'],
  [12, 12, '12 builds, all executed'],
  [1_200, 7, '1,200 builds, 7 executed'],
])('%i builds of which %i are executed', (count, executed, text) =>
  expect(summaryWords({ evm: summary(count, executed), solana: summary(0, 0) })).toBe(text),
);

it('counts the builds of both families together, and has a median for each', () => {
  const none = summary(0, 0);
  const [evm, solana] = [summary(3, 2, -0.5, -2), summary(4, 4, 0.25, -1)];
  expect(summaryWords({ evm, solana })).toBe('7 builds, 6 executed');
  expect(differenceFigures({ evm, solana })).toEqual([
    { name: 'Median, EVM', bps: -0.5 },
    { name: 'Median, Solana', bps: 0.25 },
    { name: 'Worst', bps: -2 },
  ]);
  expect(differenceFigures({ evm: none, solana })).toEqual([
    { name: 'Median', bps: 0.25 },
    { name: 'Worst', bps: -1 },
  ]);
  expect(differenceFigures({ evm: none, solana: none })).toEqual([
    { name: 'Median', bps: null },
    { name: 'Worst', bps: null },
  ]);
});
