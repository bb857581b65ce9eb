/**
 * Unix ms on a clock that never steps: the wall clock as it was when the process started, moved on by the time that has passed
 * since. For pauses, retries and expiry; what people or other processes read is the wall clock's.
 */
export const steadyNow = (): number => Math.floor(performance.timeOrigin + performance.now());
