import { intervals } from './intervals.js';

export interface TokenPlace {
  readonly chain: string;
  readonly address: string;
}

/** What the address says about a token's page beyond the token: a link to it shows the same chart. */
export interface TokenAddress {
  /** Length of a candle. */
  readonly interval: string;
  readonly currency: 'usd' | 'native';
  readonly scale: 'linear' | 'log';
  /** The token whose prices are drawn in the same chart. */
  readonly compared: TokenPlace | null;
}

export const USUAL_TOKEN: TokenAddress = { interval: '1m', currency: 'usd', scale: 'linear', compared: null };

/** Reads what stands after the `?` of a fragment. What it does not know it leaves out. */
export function parseTokenAddress(fragment: string): TokenAddress {
  const query = new URLSearchParams(fragment.split('?', 2)[1] ?? '');
  const interval = query.get('interval') ?? '';
  return {
    interval: intervals.includes(interval) ? interval : USUAL_TOKEN.interval,
    currency: query.get('currency') === 'native' ? 'native' : 'usd',
    scale: query.get('scale') === 'log' ? 'log' : 'linear',
    compared: placeOf(query.get('with') ?? ''),
  };
}

/** The part after `?`, empty for the usual page. */
export function tokenQuery({ interval, currency, scale, compared }: TokenAddress): string {
  const query = new URLSearchParams();
  if (interval !== USUAL_TOKEN.interval) query.set('interval', interval);
  if (currency !== USUAL_TOKEN.currency) query.set('currency', currency);
  if (scale !== USUAL_TOKEN.scale) query.set('scale', scale);
  if (compared !== null) query.set('with', `${compared.chain}:${compared.address}`);
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

/** A token as the address names it, its chain before a colon. */
function placeOf(text: string): TokenPlace | null {
  const [, chain, address] = /^([^:]+):(.+)$/.exec(text) ?? [];
  return chain === undefined || address === undefined ? null : { chain, address };
}
