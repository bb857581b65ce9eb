import { useMemo } from 'preact/hooks';
import type { ApiError } from '#libs/serve/client/api-error.js';
import type { RouterClient } from '#libs/serve/client/router-client.js';
import type { Clients } from './clients.js';
import { usePolled } from './poll.js';

const REFRESH_MS = 10_000;

/** The router of this instance: the API says where it is. */
export type RouterState =
  | { readonly name: 'asking' }
  | { readonly name: 'unknown'; readonly error: ApiError }
  | { readonly name: 'none' }
  | { readonly name: 'known'; readonly router: RouterClient };

export function useRouter(clients: Clients): RouterState {
  const { data, error } = usePolled('router', REFRESH_MS, (signal) => clients.rest.status({ signal }));
  const url = data?.data.router?.url ?? null;
  const router = useMemo(() => (url === null ? null : clients.router(url)), [clients, url]);
  if (router !== null) return { name: 'known', router };
  if (data !== null) return { name: 'none' };
  return error === null ? { name: 'asking' } : { name: 'unknown', error };
}
