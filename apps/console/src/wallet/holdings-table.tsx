import type { Holding } from '#libs/serve/contract/rest/holder-body.js';
import { amount, compactUsd, shortId, usd } from '../format/numbers.js';
import { tokenLink } from '../state/route.js';
import { ShareBar } from '../ui/share-bar.js';
import { TableHead } from '../ui/table-head.js';
import { TokenMark } from '../ui/token-mark.js';

/** What a wallet holds, the most valuable first, each with its share of what has a price. */
export function HoldingsTable({ rows, totalUsd }: { rows: readonly Holding[]; totalUsd: number }) {
  return (
    <table class="lines holdings">
      <TableHead
        columns={[
          'Token',
          ['Share', 'wide-only'],
          ['Amount', 'number'],
          ['Price', 'number wide-only'],
          ['Value', 'number'],
        ]}
      />
      <tbody data-list>
        {rows.map((row) => (
          <tr key={row.token} data-holding={row.token}>
            <th scope="row">
              <a class="holding-token" data-item href={tokenLink(row.chain, row.token)}>
                <TokenMark chain={row.chain} symbol={row.symbol} address={row.token} />
                <span>
                  <strong>{row.symbol ?? 'no symbol'}</strong> <small>{row.name ?? shortId(row.token)}</small>
                </span>
              </a>
            </th>
            <td class="wide-only">
              <ShareBar percent={row.valueUsd === null || totalUsd === 0 ? null : (row.valueUsd / totalUsd) * 100} />
            </td>
            <td class="number" title={row.amount ?? undefined}>
              {amount(row.amount)}
            </td>
            <td class="number wide-only">{usd(row.priceUsd)}</td>
            <td class="number">{compactUsd(row.valueUsd)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
