import { ReconnectDelay } from './reconnect-delay.js';

it('doubles up to the longest pause, never below half of it, and starts over', () => {
  for (const [chance, share] of [
    [0, 0.5],
    [0.999_999, 1],
  ] as const) {
    const delay = new ReconnectDelay(100, 1_000, () => chance);
    const pauses = Array.from({ length: 6 }, () => delay.next());
    expect(pauses).toEqual([100, 200, 400, 800, 1_000, 1_000].map((full) => Math.round(full * share)));
    expect(delay.attempts).toBe(6);
    delay.reset();
    expect([delay.attempts, delay.next()]).toEqual([0, Math.round(100 * share)]);
  }
});

it('stays finite after a very long absence', () => {
  const delay = new ReconnectDelay(500, 30_000);
  for (let i = 0; i < 2_000; i++) delay.next();
  expect(delay.next()).toBeLessThanOrEqual(30_000);
});
