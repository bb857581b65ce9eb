import { heightWords } from '../format/heights.js';
import { amount, compactUsd, idStart, usd, whole } from '../format/numbers.js';
import { clockTime, fullTime } from '../format/times.js';
import { isOpen, type TapeFilter } from '../shown/tape-filter.js';
import { tokenLink, walletLink } from '../state/route.js';
import { Card } from '../ui/card.js';
import { Icon } from '../ui/icons.js';
import { Problem } from '../ui/problem.js';
import { TableHead } from '../ui/table-head.js';
import type { TapeRow } from './tape.js';
import type { TapeFeed } from './tape-feed.js';
import { TapeFilters } from './tape-filters.js';

interface TapeProps {
  feed: TapeFeed;
  chain: string;
  /** Which trades are shown; left out where that cannot be chosen. */
  filter?: TapeFilter;
}

const COLUMNS = [
  'Time',
  ['Price', 'number'],
  ['Amount', 'number'],
  ['Value', 'number'],
  ['Pair', 'tape-pair'],
  ['Wallet', 'number tape-wallet'],
] as const;

/** Trades as they happen, newest on top. */
export function TradeTape({ feed, chain, filter }: TapeProps) {
  const { rows, note, block, error } = feed.tape.value;
  return (
    <Card
      id="tape"
      title="Trades"
      class="tape"
      aside={
        block !== null && (
          <span class="quiet">
            {heightWords(chain).one} <strong data-block={block}>{whole(block)}</strong>
          </span>
        )
      }
    >
      {filter !== undefined && <TapeFilters filter={filter} />}
      <div class="tape-note" role="status">
        {note !== null && (
          <p>
            <Icon name="fork" />
            {note}
          </p>
        )}
      </div>
      {error !== null && rows.length === 0 && <Problem error={error} what="The trades" />}
      {error === null && block === null && <div class="loading" role="status" aria-label="Loading the trades" />}
      {block !== null && rows.length === 0 && (
        <p class="quiet">{filter === undefined || isOpen(filter) ? 'No trade yet.' : 'No trade passes the filter.'}</p>
      )}
      {rows.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <section class="tape-rows" tabIndex={0} aria-label="Newest trades">
          <table>
            <TableHead columns={COLUMNS} />
            <tbody>
              {rows.map((row) => (
                <Line key={row.key} row={row} />
              ))}
            </tbody>
          </table>
        </section>
      )}
    </Card>
  );
}

function Line({ row }: { row: TapeRow }) {
  const { trade, leavesAt, fresh } = row;
  const state = leavesAt !== null ? 'taken-back' : fresh ? 'fresh' : '';
  return (
    <tr class={`trade ${trade.side} ${state}`} data-trade={trade.id} data-trade-block={trade.block}>
      <td title={`${fullTime(trade.time)}, ${heightWords(trade.chain).one} ${trade.block}`}>
        {leavesAt !== null && <span class="unseen">reversed: </span>}
        {clockTime(trade.time)}
      </td>
      <td class="number trade-price">
        <span class="unseen">{trade.side === 'buy' ? 'bought at' : 'sold at'}</span> {usd(trade.priceUsd)}
      </td>
      <td class="number" title={trade.tokenAmount}>
        {amount(trade.tokenAmount)}
      </td>
      <td class="number">{compactUsd(trade.volumeUsd)}</td>
      <td class="tape-pair" title={`${trade.dex}, pool ${trade.pool}`}>
        <a href={tokenLink(trade.chain, trade.quoteToken)}>{trade.quoteSymbol ?? '?'}</a> <small>{trade.dex}</small>
      </td>
      <td class="number tape-wallet" title={trade.wallet}>
        <a href={walletLink(trade.chain, trade.wallet)}>{idStart(trade.wallet)}</a>
      </td>
    </tr>
  );
}
