import { useSignal } from '@preact/signals';
import type { TokenBody } from '#libs/serve/contract/rest/token-body.js';
import { compactUsd, shortId, UNKNOWN } from '../format/numbers.js';
import { ago, fullTime } from '../format/times.js';
import { now } from '../state/clock.js';
import { tokenLink } from '../state/route.js';
import { Card } from '../ui/card.js';
import { CopyButton } from '../ui/copy-button.js';
import { TableHead } from '../ui/table-head.js';

const FEW = 10;

/** Where the token trades, deepest first, as the service lists it: a few rows, so that a page that is left open does not grow with the list. */
export function PoolTable({ token }: { token: TokenBody }) {
  const { pools } = token;
  const all = useSignal(false);
  const shown = all.value ? pools : pools.slice(0, FEW);
  return (
    <Card id="pools" title="Pools" aside={<span class="quiet">{pools.length}</span>}>
      {pools.length === 0 ? (
        <p class="quiet">No pool trades it yet.</p>
      ) : (
        <table class="pools">
          <TableHead
            columns={['Pair', 'Venue', ['Liquidity', 'number'], ['Created', 'number wide-only'], ['Address', 'number']]}
          />
          <tbody>
            {shown.map((pool) => (
              <tr key={pool.address} data-pool={pool.address}>
                <th scope="row">
                  {token.symbol ?? '?'} /{' '}
                  <a href={tokenLink(token.chain, pool.quoteToken)}>{pool.quoteSymbol ?? '?'}</a>
                </th>
                <td>{pool.dex}</td>
                <td class="number">{compactUsd(pool.liquidityUsd)}</td>
                <td class="number wide-only" title={pool.createdAt === null ? undefined : fullTime(pool.createdAt)}>
                  {pool.createdAt === null ? UNKNOWN : ago(pool.createdAt, now.value)}
                </td>
                <td class="number">
                  <code title={pool.address}>{shortId(pool.address)}</code>
                  <CopyButton text={pool.address} what="the pool's address" />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {pools.length > FEW && (
        <button
          type="button"
          class="more"
          aria-expanded={all.value}
          onClick={() => {
            all.value = !all.value;
          }}
        >
          {all.value ? `Show ${FEW}` : `Show all ${pools.length}`}
        </button>
      )}
    </Card>
  );
}
