import { requestTimeout } from './router-problem.js';

/**
 * Runs work that may wait for others and cuts it: when the time is over the caller gets `request_timeout` and the work
 * its abort signal. What the work does after that is nobody's answer.
 */
export function withinTime<T>(limitMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => {
      const problem = requestTimeout();
      reject(problem);
      controller.abort(problem);
    }, limitMs);
    work(controller.signal)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}
