import { useSignal } from '@preact/signals';
import type { RouterClient } from '#libs/client/router-client.js';
import type { EvmChainRow } from '#libs/protocol/rest/evm/chain-body.js';
import type { EvmChainReady, EvmReadyBody } from '#libs/protocol/rest/evm/ready-body.js';
import { whole } from '../format/numbers.js';
import type { Clients } from '../state/clients.js';
import { usePolled } from '../state/poll.js';
import type { SwapPair } from '../state/route.js';
import { Notice } from '../ui/notice.js';
import { usePageTitle } from '../ui/page-title.js';
import { ChainGate } from './chain-gate.js';
import { ChainSwap } from './chain-swap.js';
import { RouterGate } from './router-gate.js';
import { RouterProblem } from './router-problem.js';
import { SwapTabs } from './swap-tabs.js';

const READY_MS = 2_000;
const CHAINS_MS = 30_000;

export function SwapPage({ clients, pair }: { clients: Clients; pair: SwapPair | null }) {
  usePageTitle('Swap');
  return (
    <div class="page swap-page">
      <ChainGate clients={clients} pair={pair}>
        <RouterGate clients={clients}>
          {(router) => <RoutedPage clients={clients} router={router} pair={pair} />}
        </RouterGate>
      </ChainGate>
    </div>
  );
}

function RoutedPage({ clients, router, pair }: { clients: Clients; router: RouterClient; pair: SwapPair | null }) {
  const ready = usePolled('ready', READY_MS, (signal) => router.ready({ signal }));
  const chains = usePolled('chains', CHAINS_MS, (signal) => router.chains({ signal }));
  const chosen = useSignal<string | null>(null);
  if (ready.data === null || chains.data === null) {
    const error = ready.error ?? chains.error;
    return error === null ? (
      <div class="loading" role="status" aria-label="Asking the router" />
    ) : (
      <RouterProblem error={error} />
    );
  }
  const rows = chains.data.chains;
  const named = (name: string): EvmChainRow | undefined =>
    rows.find(({ chain, aliases, chainId }) => [chain, ...aliases, String(chainId)].includes(name.toLowerCase()));
  const states = new Map(ready.data.chains.map((state) => [state.chain, state]));
  const open = rows.filter(({ chain }) => canSwap(states.get(chain)));
  const asked = pair === null ? undefined : named(pair.chain);
  const wanted = chosen.value === null ? asked : named(chosen.value);
  const row = open.find(({ chain }) => chain === wanted?.chain) ?? open[0];
  const state = row === undefined ? undefined : states.get(row.chain);
  return (
    <>
      <div class="page-head">
        <h1>Swap</h1>
        <SwapTabs current="swap" />
        {row !== undefined && <Head state={state} chain={row.chain} />}
      </div>
      {row === undefined && <NotReady ready={ready.data} />}
      {row !== undefined && pair !== null && asked?.chain !== row.chain && chosen.value === null && (
        <p class="trouble" role="status">
          Swaps on {pair.chain} are not possible here now; this is {row.chain}.
        </p>
      )}
      {row !== undefined && (
        <ChainSwap
          key={row.chain}
          {...{ clients, router, row, chains: open }}
          ready={state?.ready === true}
          reasons={[...ready.data.reasons, ...(ready.data.warnings ?? [])]}
          pair={asked?.chain === row.chain ? pair : null}
          onChain={(chain) => {
            chosen.value = chain;
          }}
        />
      )}
    </>
  );
}

/** A chain without a node has neither venues nor a block. */
const canSwap = (state: EvmChainReady | undefined): boolean =>
  state !== undefined && (state.ready || state.head !== null || state.venues.length > 0);

function Head({ state, chain }: { state: EvmChainReady | undefined; chain: string }) {
  const head = state?.head ?? null;
  return (
    <p class="quiet blocks">
      <span>
        {chain} block{' '}
        <strong data-block={head?.number}>{head === null ? 'none yet' : whole(Number(head.number))}</strong>
      </span>
    </p>
  );
}

function NotReady({ ready }: { ready: EvmReadyBody }) {
  return (
    <>
      <Notice title="The router is not ready yet" tone="waiting">
        The page continues by itself. What it waits for:
      </Notice>
      <ul class="reasons">
        {ready.reasons.map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </ul>
    </>
  );
}
