import { type RequestClock, systemRequestClock } from '#libs/serve/http/request-limits.js';
import { requestTimeout } from './router-problem.js';

/**
 * Limits the time of work that waits for others. When the time is over, the caller gets `request_timeout` and the work
 * gets an abort signal. A result that comes later is not answered.
 */
export class RequestDeadline {
  constructor(
    readonly limitMs = 10_000,
    private readonly clock: RequestClock = systemRequestClock,
  ) {}

  abortAfter<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    return this.cut(work(controller.signal), (problem) => controller.abort(problem));
  }

  /** The same for work that has nothing to abort. */
  cut<T>(work: Promise<T>, abort?: (problem: Error) => void): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const cancel = this.clock.after(this.limitMs, () => {
        const problem = requestTimeout();
        reject(problem);
        abort?.(problem);
      });
      work.then(
        (value) => {
          cancel();
          resolve(value);
        },
        (error: unknown) => {
          cancel();
          reject(error);
        },
      );
    });
  }
}
