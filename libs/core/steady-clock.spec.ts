import { jest } from '@jest/globals';
import { steadyNow } from './steady-clock.js';

describe('the steady clock', () => {
  it('counts whole milliseconds, near the wall clock, and does not step with it', () => {
    const before = steadyNow();
    expect(Number.isSafeInteger(before)).toBe(true);
    const wall = jest.spyOn(Date, 'now').mockReturnValue(0);
    try {
      expect(steadyNow()).toBeGreaterThanOrEqual(before);
      expect(steadyNow() - before).toBeLessThan(3_600_000);
    } finally {
      wall.mockRestore();
    }
  });
});
