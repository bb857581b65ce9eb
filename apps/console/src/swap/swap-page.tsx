import { useSignal } from '@preact/signals';
import { useCallback } from 'preact/hooks';
import type { RouterClient } from '#libs/serve/client/router-client.js';
import type { ChainBody, ChainsAnswer } from '#libs/serve/contract/rest/chain-body.js';
import type { EvmChainRow } from '#libs/serve/contract/rest/evm/chain-body.js';
import type { EvmChainReady, EvmReadyBody } from '#libs/serve/contract/rest/evm/ready-body.js';
import type { SolVenuesAnswer } from '#libs/serve/contract/rest/solana/venue-body.js';
import { heightWords } from '../format/heights.js';
import { whole } from '../format/numbers.js';
import { isNamed } from '../state/chain-name.js';
import type { Clients } from '../state/clients.js';
import { usePolled } from '../state/poll.js';
import type { SwapPair } from '../state/route.js';
import { into } from '../state/set.js';
import { Notice } from '../ui/notice.js';
import { usePageTitle } from '../ui/page-title.js';
import { ChainSwap } from './chain-swap.js';
import { RouterGate } from './router-gate.js';
import { AskingRouter } from './router-problem.js';
import { SolanaSwap } from './solana/solana-swap.js';
import { isSolana, type SolanaChainRow } from './solana-row.js';
import { SwapTabs } from './swap-tabs.js';
import { unservedChain } from './unserved-chain.js';
import { UnservedNotice } from './unserved-notice.js';

const READY_MS = 2_000;
const CHAINS_MS = 30_000;

/** The chain that is waited for, or every one, has no block yet: the page looks often, so that it continues by itself. */
function isAwaited(rows: readonly ChainBody[], wanted: string | undefined): boolean {
  const named = wanted === undefined ? [] : rows.filter((row) => isNamed(row, wanted));
  return (named.length === 0 ? rows : named).every(({ head }) => head === null);
}

export function SwapPage({ clients, pair }: { clients: Clients; pair: SwapPair | null }) {
  usePageTitle('Swap');
  return (
    <div class="page swap-page">
      <RouterGate clients={clients}>
        {(router) => <RoutedPage clients={clients} router={router} pair={pair} />}
      </RouterGate>
    </div>
  );
}

interface PageProps {
  clients: Clients;
  router: RouterClient;
  pair: SwapPair | null;
}

/** Solana where the link or the choice names it, or where there is nothing else; the others ask the router how far they are. */
function RoutedPage({ clients, router, pair }: PageProps) {
  const chains = usePolled('chains', CHAINS_MS, (signal) => router.chains({ signal }));
  const venues = usePolled('Solana venues', CHAINS_MS, (signal) => router.call('getSolVenues', {}, { signal }));
  const awaited = pair?.chain;
  const pace = useCallback(({ data }: ChainsAnswer) => (isAwaited(data, awaited) ? READY_MS : CHAINS_MS), [awaited]);
  const indexed = usePolled('indexed chains', pace, (signal) => clients.rest.chains({ signal }));
  const chosen = useSignal<string | null>(null);
  if (chains.data === null || venues.data === null || indexed.data === null) {
    return <AskingRouter error={chains.error ?? venues.error ?? indexed.error} />;
  }
  const rows = indexed.data.data;
  const served = new Set(rows.filter(({ head }) => head !== null).map(({ chain }) => chain));
  const evm = chains.data.chains.filter(({ chain }) => served.has(chain));
  const solana = swappedSolana(rows, venues.data);
  const wanted = chosen.value ?? pair?.chain ?? null;
  const unserved = solana === null && chosen.value === null ? unservedChain(rows, pair) : null;
  if (unserved !== null) {
    return (
      <>
        <Heading />
        <UnservedNotice row={unserved} pair={pair} />
      </>
    );
  }
  const common = {
    ...{ clients, router },
    onChain: into(chosen),
  };
  if (solana === null || !(wanted === null ? evm.length === 0 : isNamed(solana, wanted))) {
    const more = solana === null ? [] : [solana.chain];
    return <EvmSwap {...common} rows={chains.data.chains} chosen={chosen.value} {...{ pair, more }} />;
  }
  return (
    <>
      <SolanaHeading clients={clients} row={solana} />
      <SolanaSwap
        {...common}
        chains={[...evm.map(({ chain }) => chain), solana.chain]}
        row={solana}
        demoUrl={venues.data.demo?.rpcUrl ?? null}
        pair={pair !== null && isNamed(solana, pair.chain) ? pair : null}
      />
    </>
  );
}

interface EvmProps extends PageProps {
  rows: readonly EvmChainRow[];
  /** What the user chose; null: what the link names counts. */
  chosen: string | null;
  /** Chains of other families that can be chosen too. */
  more: readonly string[];
  onChain: (chain: string) => void;
}

function EvmSwap({ clients, router, rows, chosen, pair, more, onChain }: EvmProps) {
  const ready = usePolled('ready', READY_MS, (signal) => router.ready({ signal }));
  if (ready.data === null) return <AskingRouter error={ready.error} />;
  const states = new Map(ready.data.chains.map((state) => [state.chain, state]));
  const open = rows.filter(({ chain }) => canSwap(states.get(chain)));
  const asked = pair === null ? undefined : named(rows, pair.chain);
  const wanted = chosen === null ? asked : named(rows, chosen);
  const row = open.find(({ chain }) => chain === wanted?.chain) ?? open[0];
  if (row === undefined) {
    return (
      <>
        <Heading />
        <NotReady ready={ready.data} />
      </>
    );
  }
  const state = states.get(row.chain);
  return (
    <>
      <Heading chain={row.chain} height={state?.head?.number} />
      {pair !== null && asked?.chain !== row.chain && chosen === null && (
        <p class="trouble" role="status">
          Swaps on {pair.chain} are not possible here now; this is {row.chain}.
        </p>
      )}
      <ChainSwap
        key={row.chain}
        {...{ clients, router, row, onChain }}
        chains={[...open.map(({ chain }) => chain), ...more]}
        ready={state?.ready === true}
        reasons={[...ready.data.reasons, ...(ready.data.warnings ?? [])]}
        pair={asked?.chain === row.chain ? pair : null}
      />
    </>
  );
}

const named = (rows: readonly EvmChainRow[], name: string): EvmChainRow | undefined =>
  rows.find(({ chain, aliases, chainId }) => [chain, ...aliases, String(chainId)].includes(name.toLowerCase()));

/** Solana, where the router can swap on it: a venue has a live row in the config of the swap program. */
function swappedSolana(rows: readonly ChainBody[], { venues }: SolVenuesAnswer): SolanaChainRow | null {
  return venues.some(({ servable }) => servable) ? (rows.find(isSolana) ?? null) : null;
}

/** A chain without a node has neither venues nor a block. */
const canSwap = (state: EvmChainReady | undefined): boolean =>
  state !== undefined && (state.ready || state.head !== null || state.venues.length > 0);

function Heading({ chain, height }: { chain?: string; height?: number | string | null }) {
  return (
    <div class="page-head">
      <h1>Swap</h1>
      <SwapTabs current="swap" />
      {chain !== undefined && (
        <p class="quiet blocks">
          <span>
            {chain} {heightWords(chain).one}{' '}
            <strong data-block={height}>
              {height === undefined || height === null ? 'none yet' : whole(Number(height))}
            </strong>
          </span>
        </p>
      )}
    </div>
  );
}

/** With the newest slot that is indexed: the router's readiness, which says it on EVM, is about EVM chains. */
function SolanaHeading({ clients, row }: { clients: Clients; row: ChainBody }) {
  const { data } = usePolled('heights', READY_MS, (signal) => clients.rest.chains({ signal }));
  const { chain, head } = data?.data.find((each) => each.chain === row.chain) ?? row;
  return <Heading chain={chain} height={head?.block} />;
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
