import { amountOf } from '../list/list-address.js';
import { intervals } from './intervals.js';
import type { TapeFilter } from './tape-filter.js';

export interface TokenPlace {
  readonly chain: string;
  readonly address: string;
}

/** What the address says about a token's page beyond the token: a link to it shows the same chart. */
export interface TokenAddress extends TapeFilter {
  /** Length of a candle. */
  readonly interval: string;
  readonly currency: 'usd' | 'native';
  readonly scale: 'linear' | 'log';
  /** Whose trades make the candles: `primary`, the pool that sets the price, or the address of a pool; null: all. */
  readonly pool: string | null;
  /** The token whose prices are drawn in the same chart. */
  readonly compared: TokenPlace | null;
}

export const USUAL_TOKEN: TokenAddress = {
  ...{ interval: '1m', currency: 'usd', scale: 'linear', pool: 'primary', compared: null },
  ...{ side: null, minUsd: null },
};

/** In the address. */
const ALL_POOLS = 'all';

/** Reads what is after the `?` of a fragment. What it does not know it leaves out. */
export function parseTokenAddress(fragment: string): TokenAddress {
  const query = new URLSearchParams(fragment.split('?', 2)[1] ?? '');
  const interval = query.get('interval') ?? '';
  const side = query.get('side');
  return {
    interval: intervals.includes(interval) ? interval : USUAL_TOKEN.interval,
    currency: query.get('currency') === 'native' ? 'native' : 'usd',
    scale: query.get('scale') === 'log' ? 'log' : 'linear',
    pool: poolOf(query.get('pool')),
    compared: placeOf(query.get('with') ?? ''),
    side: side === 'buy' || side === 'sell' ? side : null,
    minUsd: amountOf(query.get('minUsd') ?? ''),
  };
}

/** The part after `?`, empty for the usual page. */
export function tokenQuery({ interval, currency, scale, pool, compared, side, minUsd }: TokenAddress): string {
  const query = new URLSearchParams();
  if (interval !== USUAL_TOKEN.interval) query.set('interval', interval);
  if (currency !== USUAL_TOKEN.currency) query.set('currency', currency);
  if (scale !== USUAL_TOKEN.scale) query.set('scale', scale);
  if (pool !== USUAL_TOKEN.pool) query.set('pool', pool ?? ALL_POOLS);
  if (compared !== null) query.set('with', `${compared.chain}:${compared.address}`);
  if (side !== null) query.set('side', side);
  if (minUsd !== null) query.set('minUsd', String(minUsd));
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

function poolOf(text: string | null): string | null {
  if (text === ALL_POOLS) return null;
  return text || USUAL_TOKEN.pool;
}

/** A token as the address names it, its chain before a colon. */
function placeOf(text: string): TokenPlace | null {
  const [, chain, address] = /^([^:]+):(.+)$/.exec(text) ?? [];
  return chain === undefined || address === undefined ? null : { chain, address };
}
