import { signal } from '@preact/signals';
import { type ListAddress, listQuery, parseListAddress } from '../list/list-address.js';
import { parseTokenAddress, type TokenAddress, tokenQuery, USUAL_TOKEN } from '../shown/token-address.js';

/** The page that is open. Only the fragment says so, so that no path collides with one of the API. */
export type Route =
  /** Of one chain, or of all that are served. */
  | { page: 'tokens'; chain: string | null; list: ListAddress }
  | { page: 'token'; chain: string; address: string; shown: TokenAddress }
  | { page: 'wallet'; chain: string; address: string }
  | { page: 'status' }
  /** With the pair that it begins with; without one, with a usual pair. */
  | { page: 'swap'; pair: SwapPair | null }
  | { page: 'receipts' }
  | { page: 'launch' }
  | { page: 'usage' }
  | { page: 'boards'; board: BoardName }
  | { page: 'trending'; window: WindowName }
  | { page: 'unknown'; path: string };

export const boardNames = ['new', 'graduating', 'graduated'] as const;
export type BoardName = (typeof boardNames)[number];

export const windowNames = ['5m', '1h', '6h', '24h'] as const;
export type WindowName = (typeof windowNames)[number];

/** `input` and `output` are addresses, or `native` for the coin of the chain. */
export interface SwapPair {
  chain: string;
  input: string;
  output: string;
}

export function parseRoute(fragment: string): Route {
  const path = fragment.replace(/^#/, '').split('?', 1)[0]!;
  const [, first = '', chain, address, ...more] = path.split('/');
  if (first === '' && chain === undefined) return listOf(null, fragment);
  if (first === 'tokens' && chain && address === undefined) return listOf(chain, fragment);
  if (first === 'status' && chain === undefined) return { page: 'status' };
  if ((first === 'token' || first === 'wallet') && chain && address && more.length === 0) {
    try {
      const place = { chain: decodeURIComponent(chain), address: decodeURIComponent(address) };
      if (first === 'wallet') return { page: 'wallet', ...place };
      return { page: 'token', ...place, shown: parseTokenAddress(fragment) };
    } catch {
      return { page: 'unknown', path }; // a stray % sign
    }
  }
  if (first === 'usage' && chain === undefined) return { page: 'usage' };
  const board = boardNames.find((name) => name === (chain ?? 'new'));
  if (first === 'launches' && board !== undefined && address === undefined) return { page: 'boards', board };
  const window = windowNames.find((name) => name === (chain ?? '1h'));
  if (first === 'trending' && window !== undefined && address === undefined) return { page: 'trending', window };
  if (first === 'launch' && chain === undefined) return { page: 'launch' };
  if (first === 'receipts' && chain === undefined) return { page: 'receipts' };
  if (first === 'swap' && chain === undefined) return { page: 'swap', pair: null };
  const [output, ...rest] = more;
  if (first === 'swap' && chain && address && output && rest.length === 0) {
    try {
      const [of, input, to] = [chain, address, output].map(decodeURIComponent) as [string, string, string];
      return { page: 'swap', pair: { chain: of, input, output: to } };
    } catch {
      return { page: 'unknown', path };
    }
  }
  return { page: 'unknown', path };
}

function listOf(chain: string | null, fragment: string): Route {
  try {
    const list = parseListAddress(fragment);
    return { page: 'tokens', chain: chain === null ? null : decodeURIComponent(chain), list };
  } catch {
    return { page: 'unknown', path: fragment.replace(/^#/, '').split('?', 1)[0]! }; // a stray % sign
  }
}

/** The list of the tokens of one chain, or of all. */
export const tokensLink = (chain: string | null, list?: ListAddress): string =>
  (chain === null ? '#/' : `#/tokens/${encodeURIComponent(chain)}`) + (list === undefined ? '' : listQuery(list));

export const swapLink = ({ chain, input, output }: SwapPair): string =>
  `#/swap/${[chain, input, output].map(encodeURIComponent).join('/')}`;

/** With the chart that was chosen last, so that the choice goes along from token to token. */
export const tokenLink = (chain: string, address: string, shown: Partial<TokenAddress> = {}): string =>
  `#/token/${encodeURIComponent(chain)}/${encodeURIComponent(address)}${tokenQuery({ ...USUAL_TOKEN, ...lastChart.value, ...shown })}`;

export const boardLink = (board: BoardName): string => `#/launches/${board}`;

export const trendingLink = (window: WindowName): string => `#/trending/${window}`;

export const walletLink = (chain: string, address: string): string =>
  `#/wallet/${encodeURIComponent(chain)}/${encodeURIComponent(address)}`;

export const route = signal<Route>(parseRoute('#/'));

const lastChart = signal<Partial<TokenAddress>>({});

/** What the address says of the token that is open. */
export function shownToken(): TokenAddress {
  const place = route.peek();
  return place.page === 'token' ? place.shown : USUAL_TOKEN;
}

/** The open token, shown in another way; the next change counts from there, however soon it comes. */
export function changeToken(change: Partial<TokenAddress>): void {
  const place = route.peek();
  if (place.page !== 'token') return;
  location.hash = tokenLink(place.chain, place.address, { ...place.shown, ...change });
  readRoute();
}

/** Link to the list that was open last: a page leads back to it. */
export const listLink = signal('#/');

/** Link to the swap that was open last: leaving the page loses neither its chain nor its pair. */
export const swapHome = signal('#/swap');

export const readRoute = (): void => {
  const next = parseRoute(location.hash);
  if (next.page === 'tokens') listLink.value = tokensLink(next.chain, next.list);
  if (next.page === 'token') {
    const { interval, currency, scale } = next.shown;
    lastChart.value = { interval, currency, scale };
  }
  route.value = next;
};
