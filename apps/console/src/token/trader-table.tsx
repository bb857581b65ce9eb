import type { TokenBody } from '#libs/serve/contract/rest/token-body.js';
import { amount, compactUsd, shortId, whole } from '../format/numbers.js';
import type { Clients } from '../state/clients.js';
import { usePolled } from '../state/poll.js';
import { walletLink } from '../state/route.js';
import { Card } from '../ui/card.js';
import { Problem } from '../ui/problem.js';
import { Signed } from '../ui/signed.js';
import { TableHead } from '../ui/table-head.js';

const REFRESH_MS = 10_000;
const ROWS = 10;
const COLUMNS = [
  'Wallet',
  ['Realised', 'number'],
  ['Unrealised', 'number'],
  ['Bought / sold', 'number wide-only'],
  ['Trades', 'number wide-only'],
  ['Balance', 'number'],
] as const;

/** Who made the most of the token, by realised profit. */
export function TraderTable({ clients, token }: { clients: Clients; token: TokenBody }) {
  const { chain, address } = token;
  const { data, error } = usePolled(`${chain} ${address}`, REFRESH_MS, (signal) =>
    clients.rest.call('getTokenTraders', { path: { chain, address }, query: { limit: ROWS } }, { signal }),
  );
  return (
    <Card id="traders" title="Top traders" aside={<span class="quiet">by realised profit</span>}>
      {data === null && error === null && <div class="loading" role="status" aria-label="Loading the traders" />}
      {data === null && error !== null && <Problem error={error} what="The list of traders" />}
      {data?.data.length === 0 && <p class="quiet">No trade yet.</p>}
      {data !== null && data.data.length > 0 && (
        <table class="lines">
          <TableHead columns={COLUMNS} />
          <tbody>
            {data.data.map((row) => (
              <tr key={row.wallet} data-trader={row.wallet}>
                <th scope="row">
                  <a href={walletLink(chain, row.wallet)}>
                    <code title={row.wallet}>{shortId(row.wallet)}</code>
                  </a>
                </th>
                <td class="number">
                  <Signed value={row.realizedUsd} />
                </td>
                <td class="number">
                  <Signed value={row.unrealizedUsd} />
                </td>
                <td class="number wide-only">
                  {compactUsd(row.boughtUsd)} / {compactUsd(row.soldUsd)}
                </td>
                <td class="number wide-only">{whole(row.buys + row.sells)}</td>
                <td class="number" title={row.balance ?? undefined}>
                  {amount(row.balance)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  );
}
