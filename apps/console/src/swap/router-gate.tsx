import type { ComponentChildren } from 'preact';
import type { RouterClient } from '#libs/client/router-client.js';
import type { Clients } from '../state/clients.js';
import { useRouter } from '../state/router.js';
import { Notice } from '../ui/notice.js';
import { Problem } from '../ui/problem.js';

/** Shows its children once it is known where the router is; else says why there is nothing to show. */
export function RouterGate(props: { clients: Clients; children: (router: RouterClient) => ComponentChildren }) {
  const door = useRouter(props.clients);
  switch (door.name) {
    case 'known':
      return <>{props.children(door.router)}</>;
    case 'unknown':
      return <Problem error={door.error} what="The router" />;
    case 'none':
      return (
        <Notice title="This instance knows no router">
          Where a router runs apart, <code>TIDEPOOL_PUBLIC_ROUTER_URL</code> tells this page its address.
        </Notice>
      );
    case 'asking':
      return <div class="loading" role="status" aria-label="Looking for the router" />;
  }
}
