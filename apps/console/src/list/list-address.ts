import { type ColumnId, columns, type Sorting } from './columns.js';

/** Least values that the list can be narrowed by, as the service names them. */
export const filters = [
  { id: 'minLiquidity', label: 'Liquidity', unit: '$' },
  { id: 'minMarketCap', label: 'Market cap', unit: '$' },
  { id: 'minVolume', label: 'Volume 24h', unit: '$' },
  { id: 'minHolders', label: 'Holders', unit: '' },
] as const;

export type FilterId = (typeof filters)[number]['id'];

/** What the address says about the list: a link to it shows the same list. */
export interface ListAddress {
  readonly sorting: Sorting;
  readonly least: Readonly<Partial<Record<FilterId, number>>>;
}

const USUAL: Sorting = { column: 'volume', order: 'desc' };

/** Reads what is after the `?` of a fragment. What it does not know, or cannot be a number, it leaves out. */
export function parseListAddress(fragment: string): ListAddress {
  const query = new URLSearchParams(fragment.split('?', 2)[1] ?? '');
  const column = columns.find(({ id }) => id === query.get('sort'))?.id ?? USUAL.column;
  const order = query.get('order') === 'asc' ? 'asc' : 'desc';
  const least: Partial<Record<FilterId, number>> = {};
  for (const { id } of filters) {
    const value = amountOf(query.get(id) ?? '');
    if (value !== null) least[id] = value;
  }
  return { sorting: { column: column as ColumnId, order }, least };
}

/** The part after `?`, empty for the usual list. */
export function listQuery({ sorting, least }: ListAddress): string {
  const query = new URLSearchParams();
  if (sorting.column !== USUAL.column) query.set('sort', sorting.column);
  if (sorting.order !== USUAL.order) query.set('order', sorting.order);
  for (const { id } of filters) if (least[id] !== undefined) query.set(id, String(least[id]));
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

const UNITS: Readonly<Record<string, number>> = { '': 1, k: 1e3, m: 1e6, b: 1e9 };

/** `50000`, `50k`, `1.5m`: an amount from 0 on; null where the text is none. */
export function amountOf(text: string): number | null {
  const found = /^(\d{1,15}(?:\.\d{1,6})?)([kmb]?)$/.exec(text.trim().toLowerCase().replaceAll(',', ''));
  return found === null ? null : Number(found[1]) * UNITS[found[2]!]!;
}
