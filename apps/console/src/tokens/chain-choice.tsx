import type { RestClient } from '#libs/serve/client/rest-client.js';
import type { ChainBody } from '#libs/serve/contract/rest/chain-body.js';
import type { ListAddress } from '../list/list-address.js';
import { isNamed } from '../state/chain-name.js';
import { usePolled } from '../state/poll.js';
import { tokensLink } from '../state/route.js';

const REFRESH_MS = 10_000;

/** Which chains the list is of. With a single chain there is nothing to choose. */
export function ChainChoice({ rest, chosen, list }: { rest: RestClient; chosen: string | null; list: ListAddress }) {
  const { data } = usePolled('chains', REFRESH_MS, (signal) => rest.chains({ signal }));
  const rows = data?.data ?? [];
  const isChosen = (row: ChainBody): boolean => chosen !== null && isNamed(row, chosen);
  const shown = rows.filter((row) => row.head !== null || isChosen(row));
  if (shown.length < 2) return null;
  return (
    <nav class="choices chain-choice" aria-label="Chains">
      <a href={tokensLink(null, list)} aria-current={chosen === null ? 'true' : undefined}>
        All
      </a>
      {shown.map((row) => (
        <a
          key={row.chain}
          href={tokensLink(row.chain, list)}
          title={row.name}
          aria-label={row.name}
          aria-current={isChosen(row) ? 'true' : undefined}
        >
          {row.chain}
        </a>
      ))}
    </nav>
  );
}
