import { useSignal } from '@preact/signals';
import { shortId } from '../format/numbers.js';
import type { TokenPlace } from '../shown/token-address.js';
import type { Clients } from '../state/clients.js';
import { usePolled } from '../state/poll.js';
import { changeToken, tokenLink } from '../state/route.js';
import { setTo } from '../state/set.js';
import { HitDialog } from '../ui/hit-dialog.js';
import type { Hit } from '../ui/hit-face.js';

interface CompareProps {
  clients: Clients;
  chain: string;
  token: string;
  compared: TokenPlace | null;
}

const MOST = 30;

/** Chooses the token whose prices are drawn in the same chart; the address of the page names it. */
export function CompareChoice({ clients, chain, token, compared }: CompareProps) {
  const choosing = useSignal(false);
  const close = setTo(choosing, false);
  const find = async (text: string, signal: AbortSignal): Promise<Hit[]> => {
    const { rest } = clients;
    const { data } =
      text === ''
        ? await rest.screener({ sort: 'volume', limit: MOST }, { signal })
        : await rest.search(text, { limit: MOST }, { signal });
    const others = data.filter((row) => row.chain !== chain || row.address !== token);
    return others.map((row) => ({ ...row, note: `${row.chain} · ${shortId(row.address)}`, figures: row }));
  };
  const take = async (hit: Hit): Promise<null> => {
    close();
    changeToken({ compared: { chain: hit.chain, address: hit.address } });
    return null;
  };
  return (
    <div class="choices compare">
      {compared === null ? (
        <button type="button" onClick={setTo(choosing, true)}>
          Compare
        </button>
      ) : (
        <>
          <ComparedName clients={clients} compared={compared} />
          <a href={tokenLink(chain, token)} aria-label="Stop comparing" title="Stop comparing">
            ×
          </a>
        </>
      )}
      {choosing.value && (
        <HitDialog
          title="Compare with"
          label="Tokens"
          nothing="No token is called that. One appears once one of its pools was seen."
          about="all chains"
          {...{ find, take, onClose: close }}
        />
      )}
    </div>
  );
}

function ComparedName({ clients, compared: { chain, address } }: { clients: Clients; compared: TokenPlace }) {
  const { data, error } = usePolled(`${chain} ${address}`, 600_000, (signal) =>
    clients.rest.token(chain, address, {}, { signal }),
  );
  const name = error === null ? (data?.data.symbol ?? shortId(address)) : 'no such token';
  return (
    <a class="compared" href={tokenLink(chain, address)}>
      with {name}
    </a>
  );
}
