import { signal } from '@preact/signals';
import { type ListAddress, listQuery, parseListAddress } from '../list/list-address.js';

/** The page that is open. Only the fragment says so, so that no path collides with one of the API. */
export type Route =
  /** Of one chain, or of all that are served. */
  | { page: 'tokens'; chain: string | null; list: ListAddress }
  /** With the token whose prices are drawn in the same chart. */
  | { page: 'token'; chain: string; address: string; compared?: TokenPlace }
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

export interface TokenPlace {
  chain: string;
  address: string;
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
      const compared = comparedIn(fragment);
      return { page: 'token', ...place, ...(compared && { compared }) };
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

/** The token after `with=`, its chain before a colon. */
function comparedIn(fragment: string): TokenPlace | null {
  const text = new URLSearchParams(fragment.split('?', 2)[1]).get('with') ?? '';
  const [, chain, address] = /^([^:]+):(.+)$/.exec(text) ?? [];
  return chain === undefined || address === undefined ? null : { chain, address };
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

export const tokenLink = (chain: string, address: string, compared: TokenPlace | null = null): string =>
  `#/token/${encodeURIComponent(chain)}/${encodeURIComponent(address)}${compared === null ? '' : `?with=${encodeURIComponent(`${compared.chain}:${compared.address}`)}`}`;

export const boardLink = (board: BoardName): string => `#/launches/${board}`;

export const trendingLink = (window: WindowName): string => `#/trending/${window}`;

export const walletLink = (chain: string, address: string): string =>
  `#/wallet/${encodeURIComponent(chain)}/${encodeURIComponent(address)}`;

export const route = signal<Route>(parseRoute('#/'));

/** Link to the list that was open last: a page leads back to it. */
export const listLink = signal('#/');

/** Link to the swap that was open last: leaving the page loses neither its chain nor its pair. */
export const swapHome = signal('#/swap');

export const readRoute = (): void => {
  const next = parseRoute(location.hash);
  if (next.page === 'tokens') listLink.value = tokensLink(next.chain, next.list);
  route.value = next;
};
