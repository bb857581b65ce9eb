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
  const [, first = '', ...encoded] = path.split('/');
  let parts: string[];
  try {
    parts = encoded.map(decodeURIComponent);
  } catch {
    return { page: 'unknown', path }; // a stray % sign
  }
  const [chain, address, output] = parts;
  const count = parts.length;
  if (first === '' && count === 0) return { page: 'tokens', chain: null, list: parseListAddress(fragment) };
  if (first === 'tokens' && chain && count === 1) return { page: 'tokens', chain, list: parseListAddress(fragment) };
  if (first === 'token' && chain && address && count === 2) {
    return { page: 'token', chain, address, shown: parseTokenAddress(fragment) };
  }
  if (first === 'wallet' && chain && address && count === 2) return { page: 'wallet', chain, address };
  if (first === 'swap' && count === 0) return { page: 'swap', pair: null };
  if (first === 'swap' && chain && address && output && count === 3) {
    return { page: 'swap', pair: { chain, input: address, output } };
  }
  const board = boardNames.find((name) => name === (chain ?? 'new'));
  if (first === 'launches' && board !== undefined && count < 2) return { page: 'boards', board };
  const window = windowNames.find((name) => name === (chain ?? '1h'));
  if (first === 'trending' && window !== undefined && count < 2) return { page: 'trending', window };
  const plain = (['status', 'usage', 'launch', 'receipts'] as const).find((page) => page === first);
  return plain !== undefined && count === 0 ? { page: plain } : { page: 'unknown', path };
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
