import { jest } from '@jest/globals';

/** Longer than any spec runs: no round comes by itself. */
export const KEEP_ALIVE_MS = 3_600_000;

const others = ['nextTick', 'queueMicrotask', 'setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate'] as const;

/** In the describe block that calls it, the transports look around when the answered function is called. Other clocks run. */
export function roundsByHand(): () => void {
  beforeEach(() => void jest.useFakeTimers({ doNotFake: [...others, 'Date', 'performance', 'hrtime'] }));
  afterEach(() => void jest.useRealTimers());
  return () => void jest.advanceTimersByTime(KEEP_ALIVE_MS);
}
