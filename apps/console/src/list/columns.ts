import type { ScreenerRow } from '#libs/serve/contract/rest/screener-body.js';

/** What the list can be ordered by. The service orders; the page only asks, so that page two follows page one. */
export interface Column {
  readonly id: string;
  readonly label: string;
  /** For the select on a phone and for screen readers. */
  readonly longLabel: string;
  readonly sort: 'price' | 'priceChange' | 'volume' | 'liquidity' | 'trades' | 'marketCap';
  readonly window: '5m' | '1h' | '6h' | '24h';
}

export const columns = [
  { id: 'price', label: 'Price', longLabel: 'Price', sort: 'price', window: '24h' },
  { id: 'change5m', label: '5m', longLabel: 'Change in 5 minutes', sort: 'priceChange', window: '5m' },
  { id: 'change1h', label: '1h', longLabel: 'Change in 1 hour', sort: 'priceChange', window: '1h' },
  { id: 'change24h', label: '24h', longLabel: 'Change in 24 hours', sort: 'priceChange', window: '24h' },
  { id: 'volume', label: 'Volume', longLabel: 'Volume in 24 hours', sort: 'volume', window: '24h' },
  { id: 'marketCap', label: 'Market cap', longLabel: 'Market cap', sort: 'marketCap', window: '24h' },
  { id: 'liquidity', label: 'Liquidity', longLabel: 'Liquidity', sort: 'liquidity', window: '24h' },
  { id: 'trades', label: 'Trades', longLabel: 'Trades in 24 hours', sort: 'trades', window: '24h' },
] as const satisfies readonly Column[];

export type ColumnId = (typeof columns)[number]['id'];

export interface Sorting {
  readonly column: ColumnId;
  readonly order: 'asc' | 'desc';
}

/** The same column again turns the order round; a new one begins with the largest. */
export const nextSorting = (before: Sorting, column: ColumnId): Sorting =>
  before.column === column ? { column, order: before.order === 'desc' ? 'asc' : 'desc' } : { column, order: 'desc' };

export function screenerQuery({ column, order }: Sorting): { sort: string; window: string; order: string } {
  const { sort, window } = columns.find(({ id }) => id === column)!;
  return { sort, window, order };
}

export const rowKey = ({ chain, address }: Pick<ScreenerRow, 'chain' | 'address'>): string => `${chain}:${address}`;
