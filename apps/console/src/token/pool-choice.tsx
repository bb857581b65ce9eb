import type { TokenBody } from '#libs/serve/contract/rest/token-body.js';
import { shortId } from '../format/numbers.js';
import { changeToken } from '../state/route.js';

/** As many as the page lists of them. */
const FEW = 10;

/** Whose trades make the candles: those of all pools, of the one that sets the price, or of another one. */
export function PoolChoice({ pools, pool }: { pools: TokenBody['pools']; pool: string | null }) {
  const offered = pools.slice(0, FEW);
  const isOther = pool !== null && pool !== 'primary' && !offered.some(({ address }) => address === pool);
  return (
    <select
      class="pool-choice"
      aria-label="Pool of the candles"
      value={pool ?? ''}
      onChange={({ currentTarget: { value } }) => changeToken({ pool: value || null })}
    >
      <option value="primary">Primary pool</option>
      <option value="">All pools</option>
      {offered.map(({ address, quoteSymbol, dex }) => (
        <option key={address} value={address}>
          {quoteSymbol ?? '?'} · {dex} · {shortId(address)}
        </option>
      ))}
      {isOther && <option value={pool}>{shortId(pool)}</option>}
    </select>
  );
}
