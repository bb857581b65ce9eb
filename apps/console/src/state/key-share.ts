import { apiKey, rememberKey } from './session.js';

/** What tabs of this origin say to one another: a new one asks, one that has a key answers. Nothing is written anywhere. */
type Message = { readonly ask: true } | { readonly key: string };

/**
 * A tab that was opened from another one (a click with Ctrl, the middle button) gets its key from there. Invariants: a tab that has a
 * key never takes another one, and the key goes to tabs of the same origin alone.
 */
export function shareKey(channel: Pick<BroadcastChannel, 'postMessage' | 'addEventListener'>): void {
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    const own = apiKey.peek();
    if ('ask' in data) {
      if (own !== null) channel.postMessage({ key: own } satisfies Message);
    } else if (own === null) rememberKey(data.key);
  });
  // At the start only: a key that was refused is not asked for again.
  if (apiKey.peek() === null) channel.postMessage({ ask: true } satisfies Message);
}
