import { useSignal } from '@preact/signals';
import type { TokenBody } from '#libs/serve/contract/rest/token-body.js';
import { compactUsd, shortId, UNKNOWN } from '../format/numbers.js';
import { ago, fullTime } from '../format/times.js';
import { now } from '../state/clock.js';
import { tokenLink } from '../state/route.js';
import { CopyButton } from '../ui/copy-button.js';

const FEW = 10;

/** Where the token trades, deepest first, as the service lists it: a few rows, so that a page that is left open does not grow with the list. */
export function PoolTable({ token }: { token: TokenBody }) {
  const { pools } = token;
  const all = useSignal(false);
  const shown = all.value ? pools : pools.slice(0, FEW);
  return (
    <section class="card" aria-labelledby="pools">
      <header>
        <h2 id="pools">Pools</h2>
        <span class="quiet">{pools.length}</span>
      </header>
      {pools.length === 0 ? (
        <p class="quiet">No pool trades it yet.</p>
      ) : (
        <table class="pools">
          <thead>
            <tr>
              <th scope="col">Pair</th>
              <th scope="col">Venue</th>
              <th scope="col" class="number">
                Liquidity
              </th>
              <th scope="col" class="number wide-only">
                Created
              </th>
              <th scope="col" class="number">
                Address
              </th>
            </tr>
          </thead>
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
    </section>
  );
}
