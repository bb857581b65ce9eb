import type { RestClient } from '#libs/serve/client/rest-client.js';
import type { ScreenerRow } from '#libs/serve/contract/rest/screener-body.js';
import { compactUsd, usd, whole } from '../format/numbers.js';
import { type ColumnId, columns, rowKey, type Sorting } from '../list/columns.js';
import { Change } from '../ui/change.js';
import { BasisMark } from '../ui/marks.js';
import { Moving } from '../ui/moving.js';
import { TokenLink } from '../ui/token-link.js';
import { SparkLine } from './spark-line.js';

interface TableProps {
  rest: RestClient;
  rows: readonly ScreenerRow[];
  sorting: Sorting;
  onSort(column: ColumnId): void;
  busy: boolean;
}

export function TokenTable({ rest, rows, sorting, onSort, busy }: TableProps) {
  const labelled = rows.some(({ chain }) => chain !== rows[0]!.chain);
  const phoneWindow = sorting.column === 'change5m' ? '5m' : sorting.column === 'change24h' ? '24h' : '1h';
  return (
    <table class="tokens" aria-busy={busy}>
      <caption class="unseen">Tokens with their prices, changes, volume, liquidity and trades</caption>
      <thead>
        <tr>
          <th scope="col" class="cell-rank">
            #
          </th>
          <th scope="col" class="cell-token">
            Token
          </th>
          {columns.map(({ id, label, longLabel }) => (
            <SortHead key={id} id={id} label={label} longLabel={longLabel} sorting={sorting} onSort={onSort} />
          ))}
          <th scope="col" class="cell-spark">
            Last day
          </th>
        </tr>
      </thead>
      <tbody data-list>
        {rows.map((row, index) => (
          <TokenLine key={rowKey(row)} rest={rest} row={row} rank={index + 1} {...{ phoneWindow, labelled }} />
        ))}
      </tbody>
    </table>
  );
}

function SortHead(props: {
  id: ColumnId;
  label: string;
  longLabel: string;
  sorting: Sorting;
  onSort(column: ColumnId): void;
}) {
  const { id, label, longLabel, sorting, onSort } = props;
  const active = sorting.column === id;
  const order = sorting.order === 'desc' ? 'descending' : 'ascending';
  return (
    <th scope="col" class={`cell-${id} number`} aria-sort={active ? order : 'none'}>
      <button type="button" class="sort" title={`Order by: ${longLabel}`} onClick={() => onSort(id)}>
        <span aria-hidden="true">{active ? (sorting.order === 'desc' ? '↓' : '↑') : ''}</span>
        <span class="unseen">{longLabel}</span>
        <span aria-hidden="true">{label}</span>
      </button>
    </th>
  );
}

interface LineProps {
  rest: RestClient;
  row: ScreenerRow;
  rank: number;
  /** The one change that a narrow screen has room for. */
  phoneWindow: '5m' | '1h' | '24h';
  /** The list holds tokens of several chains. */
  labelled: boolean;
}

function TokenLine({ rest, row, rank, phoneWindow, labelled }: LineProps) {
  const day = row.stats['24h'];
  const buyShare = Math.round((day.buys / day.trades) * 100);
  return (
    <tr data-token={row.address}>
      <td class="cell-rank">{rank}</td>
      <th scope="row" class="cell-token">
        <TokenLink
          row={row}
          labelled={labelled}
          more={<span class="phone-only"> · vol {compactUsd(day.volumeUsd)}</span>}
        />
      </th>
      <td class="cell-price number">
        <BasisMark {...row} />
        <Moving value={row.priceUsd} text={usd(row.priceUsd)} />
        <span class="phone-change">
          <small>{phoneWindow}</small> <Change value={row.stats[phoneWindow].priceChangePercent} />
        </span>
      </td>
      <td class="cell-change5m number">
        <Change value={row.stats['5m'].priceChangePercent} />
      </td>
      <td class="cell-change1h number">
        <Change value={row.stats['1h'].priceChangePercent} />
      </td>
      <td class="cell-change24h number">
        <Change value={day.priceChangePercent} />
      </td>
      <td class="cell-volume number" title={usd(day.volumeUsd)}>
        {compactUsd(day.volumeUsd)}
      </td>
      <td class="cell-marketCap number" title={usd(row.marketCapUsd)}>
        {compactUsd(row.marketCapUsd)}
      </td>
      <td
        class="cell-liquidity number"
        title={`${usd(row.liquidityUsd)}; ${compactUsd(row.exitUsd)} could be taken out`}
      >
        {compactUsd(row.liquidityUsd)}
      </td>
      <td class="cell-trades number" title={`${whole(day.buys)} bought, ${whole(day.sells)} sold`}>
        {whole(day.trades)}
        {day.trades > 0 && <span class="balance" aria-hidden="true" style={{ '--buys': `${buyShare}%` }} />}
      </td>
      <td class="cell-spark">
        <SparkLine rest={rest} chain={row.chain} address={row.address} price={row.priceUsd} />
      </td>
    </tr>
  );
}
