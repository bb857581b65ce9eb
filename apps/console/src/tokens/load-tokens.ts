import type { RestClient } from '#libs/serve/client/rest-client.js';
import type { ScreenerAnswer, ScreenerRow } from '#libs/serve/contract/rest/screener-body.js';
import { screenerQuery } from '../list/columns.js';
import type { ListAddress } from '../list/list-address.js';
import { readPages } from '../list/read-pages.js';

export interface TokenList {
  readonly rows: readonly ScreenerRow[];
  readonly more: boolean;
  readonly meta: ScreenerAnswer['meta'];
}

export interface TokenListQuery {
  readonly address: ListAddress;
  /** Null: every chain that is served. */
  readonly chain: string | null;
  readonly count: number;
}

export async function loadTokens(
  rest: RestClient,
  { address, chain, count }: TokenListQuery,
  signal: AbortSignal,
): Promise<TokenList> {
  const query = { ...screenerQuery(address.sorting), ...address.least, ...(chain === null ? {} : { chain }) };
  const { rows, more, last } = await readPages(count, (page) => rest.screener({ ...query, ...page }, { signal }));
  return { rows, more, meta: last.meta };
}
