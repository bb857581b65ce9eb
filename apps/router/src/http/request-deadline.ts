import { requestTimeout } from './router-problem.js';

/**
 * Runs work that may wait for others and cuts it: when the time is over the caller gets `request_timeout` and the work
 * its abort signal. What the work does after that is not answered.
 */
export function abortAfter<T>(limitMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  return withDeadline(limitMs, work(controller.signal), (problem) => controller.abort(problem));
}

/** The same for work that has nothing to abort. */
export function withDeadline<T>(limitMs: number, work: Promise<T>, abort?: (problem: Error) => void): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => {
      const problem = requestTimeout();
      reject(problem);
      abort?.(problem);
    }, limitMs);
    work.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
