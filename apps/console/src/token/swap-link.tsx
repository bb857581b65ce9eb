import type { RouterClient } from '#libs/serve/client/router-client.js';
import type { TokenBody } from '#libs/serve/contract/rest/token-body.js';
import type { Clients } from '../state/clients.js';
import { familyOf } from '../state/families.js';
import { usePolled } from '../state/poll.js';
import { swapLink } from '../state/route.js';
import { useRouter } from '../state/router.js';

const VENUES_MS = 60_000;
/** The wrapped coin: there it is the coin itself. */
const WRAPPED = 'So11111111111111111111111111111111111111112';

interface LinkProps {
  clients: Clients;
  token: Pick<TokenBody, 'chain' | 'address'>;
}

/** To a swap of the coin for a token, where the router swaps on its chain. */
export function SwapLink({ clients, token }: LinkProps) {
  const state = useRouter(clients);
  if (state.name !== 'known') return null;
  return familyOf(token.chain) === 'solana' ? (
    <SolanaLink router={state.router} token={token} />
  ) : (
    <Link token={token} />
  );
}

/** Solana is swapped on where a venue has a live row in the config of the swap program. */
function SolanaLink({ router, token }: { router: RouterClient; token: LinkProps['token'] }) {
  const { data } = usePolled('Solana venues', VENUES_MS, (signal) => router.call('getSolVenues', {}, { signal }));
  const isSwapped = token.address !== WRAPPED && data?.venues.some(({ servable }) => servable) === true;
  return isSwapped ? <Link token={token} /> : null;
}

function Link({ token: { chain, address } }: { token: LinkProps['token'] }) {
  return (
    <a class="swap-link" href={swapLink({ chain, input: 'native', output: address })}>
      Swap
    </a>
  );
}
