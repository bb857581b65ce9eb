import { useSignal } from '@preact/signals';
import { heightWords } from '../format/heights.js';
import { whole } from '../format/numbers.js';
import { Hero } from '../hero/hero.js';
import { type ColumnId, columns, nextSorting } from '../list/columns.js';
import { type ListAddress, listQuery } from '../list/list-address.js';
import type { Clients } from '../state/clients.js';
import { usePolled } from '../state/poll.js';
import { tokensLink } from '../state/route.js';
import { Notice } from '../ui/notice.js';
import { usePageTitle } from '../ui/page-title.js';
import { Problem } from '../ui/problem.js';
import { ChainChoice } from './chain-choice.js';
import { lastList } from './last-list.js';
import { ListFilters } from './list-filters.js';
import { loadTokens, type TokenList } from './load-tokens.js';
import { NoTokens } from './no-tokens.js';
import { TokenTable } from './token-table.js';

const REFRESH_MS = 2_000;
const PAGE = 50;

interface TokensPageProps {
  clients: Clients;
  chain: string | null;
  list: ListAddress;
}

/** Order and filters are in the address: a link shows the same list, and Back returns to it. */
export function TokensPage({ clients, chain, list: address }: TokensPageProps) {
  const { rest } = clients;
  const count = useSignal(PAGE);
  const { sorting: sort, least } = address;
  const about = `${chain} ${listQuery(address)} ${count.value}`;
  const { data, error } = usePolled(about, REFRESH_MS, async (ended) => {
    const list = await loadTokens(rest, { address, chain, count: count.value }, ended);
    lastList.value = { about, list };
    return list;
  });
  usePageTitle('Tokens');
  // While another order is on its way the old list stays, so that nothing jumps twice.
  const list = data ?? (sameChain(lastList.value?.about, chain) ? lastList.value!.list : null);

  const show = (next: ListAddress): void => {
    location.hash = tokensLink(chain, next);
  };
  const sortBy = (column: ColumnId): void => {
    show({ sorting: nextSorting(sort, column), least });
  };

  return (
    <div class="page tokens-page">
      {chain === null && <Hero clients={clients} />}
      <div class="page-head">
        <h1>Tokens</h1>
        <ChainChoice rest={rest} chosen={chain} list={address} />
        {list !== null && <Blocks list={list} />}
        <label class="phone-sort">
          <span class="unseen">Order by</span>
          <select
            value={sort.column}
            onChange={(event) => {
              show({ sorting: { column: event.currentTarget.value as ColumnId, order: 'desc' }, least });
            }}
          >
            {columns.map(({ id, longLabel }) => (
              <option key={id} value={id}>
                {longLabel}
              </option>
            ))}
          </select>
          <button type="button" aria-label="Reverse order" onClick={() => sortBy(sort.column)}>
            {sort.order === 'desc' ? '↓' : '↑'}
          </button>
        </label>
      </div>
      {list === null && error === null && <div class="loading" role="status" aria-label="Loading the tokens" />}
      {list === null && error !== null && <Problem error={error} what="The list" />}
      <ListFilters least={least} onChange={(next) => show({ sorting: sort, least: next })} />
      {list !== null &&
        list.rows.length === 0 &&
        (Object.keys(least).length === 0 ? <NoTokens rest={rest} /> : <NoMatch />)}
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

function NoMatch() {
  return (
    <Notice title="No matches">
      No token passes these filters. A token of which a figure is not known never does.
    </Notice>
  );
}

const sameChain = (about: string | undefined, chain: string | null): boolean => about?.startsWith(`${chain} `) ?? false;

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
