import { effect, signal } from '@preact/signals';
import { ApiError } from '#libs/serve/client/api-error.js';
import { LiveClient } from '#libs/serve/client/live-client.js';
import { RestClient } from '#libs/serve/client/rest-client.js';
import { RouterClient } from '#libs/serve/client/router-client.js';
import { isOutOfCredits } from './account-words.js';
import { liveChanged } from './connection.js';
import { learnFamilies } from './families.js';
import { apiKey, forgetKey } from './session.js';

/** The page's clients of the API, made for each new key; null while there is no key. */
export interface Clients {
  readonly rest: RestClient;
  readonly live: LiveClient;
  /** The router at an address that the API named; it takes the same key. */
  router(url: string): RouterClient;
}

export const clients = signal<Clients | null>(null);

export const REFUSED = 'The service does not know this key. Paste the one in the file it names at start.';

export function followKey(): void {
  effect(() => {
    const key = apiKey.value;
    clients.peek()?.live.close();
    liveChanged({ name: 'idle' });
    clients.value = key === null ? null : makeClients(key);
  });
}

function makeClients(key: string): Clients {
  const rest = new RestClient({ baseUrl: location.origin, apiKey: key });
  const askForChains = async () => learnFamilies((await rest.chains()).data);
  // Without an answer heights are called blocks until the next question.
  askForChains().catch(keyRefused);
  const live = new LiveClient({
    url: `${location.origin}/ws`,
    apiKey: key,
    probe: askForChains,
    retryMs: 1_000,
    maxRetryMs: 10_000,
  });
  live.onState((state) => {
    if (state.name === 'refused') forgetKey(REFUSED);
    else liveChanged(state);
  });
  return { rest, live, router: (url) => new RouterClient({ baseUrl: url, apiKey: key }) };
}

/** True when the answer was that the key is not (or no longer) known, for another reason than credits; then the page asks for one. */
export function keyRefused(error: unknown): boolean {
  if (!(error instanceof ApiError) || error.status !== 401 || isOutOfCredits(error)) return false;
  forgetKey(REFUSED);
  return true;
}
