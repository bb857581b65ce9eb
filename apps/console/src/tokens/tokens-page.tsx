import { signal, useSignal } from '@preact/signals';
import type { RestClient } from '#libs/client/rest-client.js';
import { heightWords } from '../format/heights.js';
import { whole } from '../format/numbers.js';
import { usePolled } from '../state/poll.js';
import { usePageTitle } from '../ui/page-title.js';
import { Problem } from '../ui/problem.js';
import { ChainChoice } from './chain-choice.js';
import { type ColumnId, columns, nextSorting, type Sorting } from './columns.js';
import { loadTokens, type TokenList } from './load-tokens.js';
import { NoTokens } from './no-tokens.js';
import { TokenTable } from './token-table.js';

const REFRESH_MS = 2_000;
const PAGE = 50;

/** Kept while the user visits a token and comes back. */
const sorting = signal<Sorting>({ column: 'volume', order: 'desc' });

export function TokensPage({ rest, chain }: { rest: RestClient; chain: string | null }) {
  const count = useSignal(PAGE);
  const sort = sorting.value;
  const about = `${chain} ${sort.column} ${sort.order} ${count.value}`;
  const last = useSignal<TokenList | null>(null);
  const { data, error } = usePolled(about, REFRESH_MS, async (ended) => {
    const list = await loadTokens(rest, { sorting: sort, chain, count: count.value }, ended);
    last.value = list;
    return list;
  });
  usePageTitle('Tokens');
  // While another order is on its way the old list stays, so that nothing jumps twice.
  const list = data ?? last.value;

  const sortBy = (column: ColumnId): void => {
    sorting.value = nextSorting(sort, column);
  };

  return (
    <div class="page tokens-page">
      <div class="page-head">
        <h1>Tokens</h1>
        <ChainChoice rest={rest} chosen={chain} />
        {list !== null && <Blocks list={list} />}
        <label class="phone-sort">
          <span class="unseen">Order by</span>
          <select
            value={sort.column}
            onChange={(event) => {
              sorting.value = { column: event.currentTarget.value as ColumnId, order: 'desc' };
            }}
          >
            {columns.map(({ id, longLabel }) => (
              <option key={id} value={id}>
                {longLabel}
              </option>
            ))}
          </select>
          <button type="button" aria-label="Turn the order round" onClick={() => sortBy(sort.column)}>
            {sort.order === 'desc' ? '↓' : '↑'}
          </button>
        </label>
      </div>
      {list === null && error === null && <div class="loading" role="status" aria-label="Loading the tokens" />}
      {list === null && error !== null && <Problem error={error} what="The list" />}
      {list !== null && list.rows.length === 0 && <NoTokens rest={rest} />}
      {list !== null && list.rows.length > 0 && (
        <TokenTable rest={rest} rows={list.rows} sorting={sort} onSort={sortBy} busy={data === null} />
      )}
      {list?.more && (
        <button
          type="button"
          class="more"
          onClick={() => {
            count.value += PAGE;
          }}
        >
          Show more
        </button>
      )}
    </div>
  );
}

/** The block at which every figure on the page holds. */
function Blocks({ list }: { list: TokenList }) {
  const chains = Object.entries(list.meta.chains);
  return (
    <p class="quiet blocks">
      {chains.map(([chain, meta]) => (
        <span key={chain}>
          {chain} {heightWords(chain).one} <strong data-block={meta.block}>{whole(meta.block)}</strong>
        </span>
      ))}
    </p>
  );
}
