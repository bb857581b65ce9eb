import { bpsScale, receiptPoints, timeScale, timeTicks } from './receipt-points.js';
import type { ShownReceipt } from './shown-receipt.js';

const receipt = (id: string, executed: { time: string; differenceBps: number | null } | null) =>
  ({ id, executed }) as ShownReceipt;

it('takes the executed ones, oldest first', () => {
  const receipts = [
    receipt('d', null),
    receipt('c', { time: '2026-01-01T00:00:03Z', differenceBps: -1.25 }),
    receipt('b', { time: '2026-01-01T00:00:02Z', differenceBps: null }),
    receipt('a', { time: '2026-01-01T00:00:01Z', differenceBps: 0 }),
  ];
  const start = Date.UTC(2026, 0, 1);
  expect(receiptPoints(receipts)).toEqual([
    { id: 'a', time: start + 1_000, bps: 0 },
    { id: 'c', time: start + 3_000, bps: -1.25 },
  ]);
});

it.each([
  [[], [-1, -0.5, 0, 0.5, 1]],
  [[0.01], [-1, -0.5, 0, 0.5, 1]],
  [
    [-7, 3],
    [-7.5, -5, -2.5, 0, 2.5, 5],
  ],
  [[-180], [-200, -150, -100, -50, 0, 50]],
  [[12_000], [-5_000, 0, 5_000, 10_000, 15_000]],
])('%j stands between %j', (values, lines) => {
  const scale = bpsScale(values.map((bps) => ({ bps })));
  expect(scale.lines).toEqual(lines);
  expect(scale.lines).toContain(0);
  for (const bps of values) expect(bps >= scale.from && bps <= scale.to).toBe(true);
});

it.each([
  [61_500, 119_000, 6, 10_000, [70_000, 80_000, 90_000, 100_000, 110_000]],
  [0, 3_600_000, 4, 900_000, [0, 900_000, 1_800_000, 2_700_000]],
  [1, 90_000_000, 3, 43_200_000, [43_200_000, 86_400_000]],
])('between %i and %i at most %i ticks lie %i apart', (from, to, most, step, times) =>
  expect(timeTicks({ from, to }, most)).toEqual({ step, times }),
);

it('has room around one moment and around many', () => {
  expect(timeScale([{ time: 1_000_000 }])).toEqual({ from: 970_000, to: 1_030_000 });
  expect(timeScale([{ time: 0 }, { time: 10_000_000 }])).toEqual({ from: -400_000, to: 10_400_000 });
});
