import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { ApiError } from '#libs/serve/client/api-error.js';
import { keyRefused } from './clients.js';
import { pollAnswered, pollFailed, pollForgotten } from './connection.js';

/** What a refreshed part of a page holds. The last good answer stays while refreshing fails. */
export interface Polled<T> {
  readonly data: T | null;
  /** Why the newest attempt failed; null when it did not. */
  readonly error: ApiError | null;
  /** Asks now, for example because something is known to have changed. */
  refresh(): void;
}

const LONGEST_PAUSE_MS = 10_000;

const pauseAfter = (failures: number): number => Math.min(LONGEST_PAUSE_MS, 1_000 * 2 ** failures);

/** Ms from an answer to the next question; a function, always the same one, where the answer decides it. */
type Pace<T> = number | ((data: T) => number);

/**
 * Asks now and then every `pace` while the page is visible; after a failure when the service says, else with growing
 * pauses, which the connection line counts down. `about` names what is asked for: with another one the old answer is dropped.
 */
export function usePolled<T>(about: string, pace: Pace<T>, load: (signal: AbortSignal) => Promise<T>): Polled<T> {
  const state = useSignal<{ about: string; data: T | null; error: ApiError | null }>({
    about,
    data: null,
    error: null,
  });
  const loader = useRef(load);
  loader.current = load;
  const kick = useRef<() => void>(() => undefined);

  useEffect(() => {
    const who = {};
    const ended = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let failures = 0;
    let running = false;

    const later = (ms: number): void => {
      clearTimeout(timer);
      timer = setTimeout(() => void run(), ms);
    };
    const run = async (): Promise<void> => {
      if (running || ended.signal.aborted || document.hidden) return;
      running = true;
      clearTimeout(timer);
      try {
        const data = await loader.current(ended.signal);
        if (ended.signal.aborted) return;
        failures = 0;
        state.value = { about, data, error: null };
        pollAnswered(who);
        later(typeof pace === 'number' ? pace : pace(data));
      } catch (error) {
        if (ended.signal.aborted || keyRefused(error)) return;
        if (!(error instanceof ApiError)) throw error;
        const before = state.peek();
        state.value = { about, data: before.about === about ? before.data : null, error };
        // An answer that says no is an answer; only silence is a lost connection.
        if (error.status === null) {
          pollFailed(who, Date.now() + pauseAfter(failures));
        } else pollAnswered(who);
        const pause = error.retryAfter !== null ? error.retryAfter * 1_000 : pauseAfter(failures++);
        later(pause);
      } finally {
        running = false;
      }
    };
    const seen = (): void => {
      if (!document.hidden) void run();
    };
    kick.current = seen;
    document.addEventListener('visibilitychange', seen);
    void run();
    return () => {
      ended.abort();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', seen);
      pollForgotten(who);
    };
  }, [about, pace, state]);

  const { about: of, data, error } = state.value;
  return { data: of === about ? data : null, error: of === about ? error : null, refresh: () => kick.current() };
}
