import type { RestClient } from '#libs/serve/client/rest-client.js';
import type { ScreenerAnswer, ScreenerRow } from '#libs/serve/contract/rest/screener-body.js';
import { screenerQuery } from '../list/columns.js';
import type { ListAddress } from '../list/list-address.js';

const LARGEST_PAGE = 200;

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

/**
 * The first `count` rows of one view: the pages after the first follow its cursor, so that no row is lost in between.
 */
export async function loadTokens(
  rest: RestClient,
  { address, chain, count }: TokenListQuery,
  signal: AbortSignal,
): Promise<TokenList> {
  const query = { ...screenerQuery(address.sorting), ...address.least, ...(chain === null ? {} : { chain }) };
  const rows: ScreenerRow[] = [];
  let cursor: string | undefined;
  for (;;) {
    const limit = Math.min(LARGEST_PAGE, count - rows.length);
    const answer = await rest.screener({ ...query, limit, cursor }, { signal });
    rows.push(...answer.data);
    if (answer.next === null || rows.length >= count) return { rows, more: answer.next !== null, meta: answer.meta };
    cursor = answer.next;
  }
}
