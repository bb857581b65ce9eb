import { useSignal } from '@preact/signals';
import type { TokenBody } from '#libs/serve/contract/rest/token-body.js';
import { amount, compactUsd, shortId, whole } from '../format/numbers.js';
import { ago, fullTime } from '../format/times.js';
import type { Clients } from '../state/clients.js';
import { now } from '../state/clock.js';
import { usePolled } from '../state/poll.js';
import { walletLink } from '../state/route.js';
import { setTo } from '../state/set.js';
import { Card } from '../ui/card.js';
import { Problem } from '../ui/problem.js';
import { ShareBar } from '../ui/share-bar.js';
import { TableHead } from '../ui/table-head.js';

const REFRESH_MS = 10_000;
const FEW = 10;
const MANY = 100;

/** Who holds the token, the largest first. Without every transfer in view the list is empty, and the card says why. */
export function HolderTable({ clients, token }: { clients: Clients; token: TokenBody }) {
  const limit = useSignal(FEW);
  const about = `${token.chain} ${token.address} ${limit.value}`;
  const { data, error } = usePolled(about, REFRESH_MS, (signal) =>
    clients.rest.call(
      'getTokenHolders',
      { path: { chain: token.chain, address: token.address }, query: { limit: limit.value } },
      { signal },
    ),
  );
  return (
    <Card id="holders" title="Holders" aside={data?.complete && <span class="quiet">{whole(data.holders)}</span>}>
      {data === null && error === null && <div class="loading" role="status" aria-label="Loading the holders" />}
      {data === null && error !== null && <Problem error={error} what="The list of holders" />}
      {data !== null && !data.complete && (
        <p class="quiet">Not measured: transfers from before the first indexed block are missing.</p>
      )}
      {data?.complete && data.data.length === 0 && <p class="quiet">No wallet holds it.</p>}
      {data !== null && data.data.length > 0 && (
        <table class="lines">
          <TableHead
            columns={[
              'Wallet',
              'Share',
              ['Amount', 'number'],
              ['Value', 'number'],
              ['Last change', 'number wide-only'],
            ]}
          />
          <tbody>
            {data.data.map((holder) => (
              <tr key={holder.address} data-holder={holder.address}>
                <th scope="row">
                  <a href={walletLink(token.chain, holder.address)}>
                    <code title={holder.address}>{shortId(holder.address)}</code>
                  </a>
                  {holder.kind !== 'wallet' && <span class={`kind kind-${holder.kind}`}>{holder.kind}</span>}
                </th>
                <td>
                  <ShareBar percent={holder.sharePercent} />
                </td>
                <td class="number" title={holder.amount}>
                  {amount(holder.amount)}
                </td>
                <td class="number">{compactUsd(holder.valueUsd)}</td>
                <td class="number wide-only" title={fullTime(holder.lastAt)}>
                  {ago(holder.lastAt, now.value)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {data !== null && data.next !== null && limit.value === FEW && (
        <button type="button" class="more" onClick={setTo(limit, MANY)}>
          Show {MANY}
        </button>
      )}
    </Card>
  );
}
