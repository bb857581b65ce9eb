import { signal } from '@preact/signals';

/**
 * The user's API key. It arrives in the fragment of the link (`#key=…`), leaves the address bar at
 * once, and lives in the tabs of this page only: not in the address, not in the history, not on the disk.
 */
const SLOT = 'tidepool.key';

export const apiKey = signal<string | null>(null);
/** Why the page asks for a key although it had one. */
export const keyTrouble = signal<string | null>(null);

/** The key in a fragment, and the fragment without it. */
export function splitFragment(fragment: string): { key: string | null; rest: string } {
  const text = fragment.replace(/^#/, '');
  if (!/^(?:[^/?]*&)?key=/.test(text)) return { key: null, rest: fragment };
  const parameters = new URLSearchParams(text);
  const key = parameters.get('key')?.trim() ?? '';
  const path = parameters.get('go') ?? '/';
  return { key: key === '' ? null : key, rest: `#${path.startsWith('/') ? path : '/'}` };
}

export function takeKey(): void {
  const { key, rest } = splitFragment(location.hash);
  if (rest !== location.hash) history.replaceState(null, '', rest);
  if (key !== null) rememberKey(key);
  else if (apiKey.value === null) apiKey.value = sessionStorage.getItem(SLOT);
}

export function rememberKey(key: string): void {
  sessionStorage.setItem(SLOT, key);
  keyTrouble.value = null;
  apiKey.value = key;
}

export function forgetKey(trouble: string | null): void {
  sessionStorage.removeItem(SLOT);
  keyTrouble.value = trouble;
  apiKey.value = null;
}
