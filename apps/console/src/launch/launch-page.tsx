import { useSignal } from '@preact/signals';
import type { RouterClient } from '#libs/serve/client/router-client.js';
import type { Clients } from '../state/clients.js';
import { usePolled } from '../state/poll.js';
import { into } from '../state/set.js';
import { RouterGate } from '../swap/router-gate.js';
import { AskingRouter } from '../swap/router-problem.js';
import { LaunchTabs } from '../ui/page-link.js';
import { usePageTitle } from '../ui/page-title.js';
import { ChainLaunch } from './chain-launch.js';
import { offeredLaunchpads } from './offered-launchpads.js';

const REFRESH_MS = 30_000;

/** A new token on a launchpad: what it is to be, what it costs, its transactions. */
export function LaunchPage({ clients }: { clients: Clients }) {
  usePageTitle('Launch a token');
  return (
    <div class="page swap-page">
      <div class="page-head">
        <h1>Launch a token</h1>
        <LaunchTabs current="launch" />
      </div>
      <RouterGate clients={clients}>{(router) => <RoutedLaunch clients={clients} router={router} />}</RouterGate>
    </div>
  );
}

function RoutedLaunch({ clients, router }: { clients: Clients; router: RouterClient }) {
  const launch = usePolled('launch', REFRESH_MS, (signal) => router.launchpads({ signal }));
  const chains = usePolled('chains', REFRESH_MS, (signal) => clients.rest.chains({ signal }));
  const evm = usePolled('evm chains', REFRESH_MS, (signal) => router.chains({ signal }));
  const chosen = useSignal<string | null>(null);
  if (launch.data === null || chains.data === null || evm.data === null) {
    return <AskingRouter error={launch.error ?? chains.error ?? evm.error} />;
  }
  const indexed = chains.data.data.filter(({ head }) => head !== null);
  const coins = new Map(indexed.map(({ chain, nativeCurrency }) => [chain, nativeCurrency]));
  const demos = new Map(evm.data.chains.flatMap(({ chain, demo }) => (demo === null ? [] : [[chain, demo.rpcUrl]])));
  const rows = offeredLaunchpads(launch.data, coins, demos);
  const row = rows.find(({ slug }) => slug === chosen.value) ?? rows.find(({ slug }) => demos.has(slug)) ?? rows[0];
  if (row === undefined) return <p class="trouble">No chain that is served here has a launchpad.</p>;
  return (
    <ChainLaunch
      key={row.slug}
      {...{ clients, router, row, rows, coin: coins.get(row.slug)! }}
      demoUrl={demos.get(row.slug) ?? null}
      onChain={into(chosen)}
    />
  );
}
