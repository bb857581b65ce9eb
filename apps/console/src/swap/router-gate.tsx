import type { ComponentChildren } from 'preact';
import type { RouterClient } from '#libs/serve/client/router-client.js';
import type { Clients } from '../state/clients.js';
import { useRouter } from '../state/router.js';
import { Notice } from '../ui/notice.js';
import { Problem } from '../ui/problem.js';

/** Shows its children once it is known where the router is; else says why there is nothing to show. */
export function RouterGate(props: { clients: Clients; children: (router: RouterClient) => ComponentChildren }) {
  const state = useRouter(props.clients);
  switch (state.name) {
    case 'known':
      return <>{props.children(state.router)}</>;
    case 'unknown':
      return <Problem error={state.error} what="The router" />;
    case 'none':
      return (
        <Notice title="This instance knows no router">
          If a router runs as a separate process, set <code>TIDEPOOL_PUBLIC_ROUTER_URL</code> to its address.
        </Notice>
      );
    case 'asking':
      return <div class="loading" role="status" aria-label="Looking for the router" />;
  }
}
