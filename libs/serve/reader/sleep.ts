/** Ends early when the signal aborts, or when the function that `expose` was given is called. */
export function sleep(ms: number, signal: AbortSignal, expose?: (wake: () => void) => void): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end, { once: true });
    expose?.(end);
  });
}
