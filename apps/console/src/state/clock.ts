import { signal } from '@preact/signals';

/** The time of day for everything that says how long ago something was; moves once a second while the page is visible. */
export const now = signal(Date.now());

export function startClock(): void {
  setInterval(() => {
    if (!document.hidden) now.value = Date.now();
  }, 1_000);
  document.addEventListener('visibilitychange', () => {
    now.value = Date.now();
  });
}
