import { signal } from '@preact/signals';

/** Where in the page somebody is. Only the fragment says so, so that no path collides with one of the API. */
export type Route =
  | { page: 'tokens' }
  | { page: 'token'; chain: string; address: string }
  | { page: 'status' }
  | { page: 'unknown'; path: string };

export function parseRoute(fragment: string): Route {
  const path = fragment.replace(/^#/, '').split('?', 1)[0]!;
  const [, first = '', chain, address, ...more] = path.split('/');
  if (first === '' && chain === undefined) return { page: 'tokens' };
  if (first === 'status' && chain === undefined) return { page: 'status' };
  if (first === 'token' && chain && address && more.length === 0) {
    try {
      return { page: 'token', chain: decodeURIComponent(chain), address: decodeURIComponent(address) };
    } catch {
      return { page: 'unknown', path }; // a stray % sign
    }
  }
  return { page: 'unknown', path };
}

export const tokenLink = (chain: string, address: string): string =>
  `#/token/${encodeURIComponent(chain)}/${encodeURIComponent(address)}`;

export const route = signal<Route>({ page: 'tokens' });

export const readRoute = (): void => {
  route.value = parseRoute(location.hash);
};
