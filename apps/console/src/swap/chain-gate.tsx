import type { ComponentChildren } from 'preact';
import type { Clients } from '../state/clients.js';
import { usePolled } from '../state/poll.js';
import { type SwapPair, tokenLink, tokensLink } from '../state/route.js';
import { Notice } from '../ui/notice.js';
import { SwapTabs } from './swap-tabs.js';
import { unservedChain } from './unserved-chain.js';

const REFRESH_MS = 30_000;

/**
 * Shows its children where the chain's family is one that the router serves; else a notice that says so; that is no
 * failure.
 */
export function ChainGate(props: { clients: Clients; pair: SwapPair | null; children: ComponentChildren }) {
  const { clients, pair, children } = props;
  const { data, error } = usePolled('chains', REFRESH_MS, (signal) => clients.rest.chains({ signal }));
  if (data === null && error === null) return <div class="loading" role="status" aria-label="Asking for the chains" />;
  const unserved = unservedChain(data?.data ?? [], pair);
  if (unserved === null) return <>{children}</>;
  return (
    <>
      <div class="page-head">
        <h1>Swap</h1>
        <SwapTabs current="swap" />
      </div>
      <Notice title={`Swaps on ${unserved.name} are not offered yet`}>
        Its prices, candles and trades are served like those of every chain: go to{' '}
        <Places chain={unserved.chain} pair={pair} />.
      </Notice>
    </>
  );
}

/** Everything that can be done instead: the tokens of the pair, the chain's list, another chain. */
function Places({ chain, pair }: { chain: string; pair: SwapPair | null }) {
  const coins = pair === null ? [] : [pair.input, pair.output].filter((name) => name.toLowerCase() !== 'native');
  const token = coins[coins.length - 1];
  return (
    <>
      {token !== undefined && (
        <>
          <a href={tokenLink(chain, token)}>the token</a>, to{' '}
        </>
      )}
      <a href={tokensLink(chain)}>the tokens of the chain</a>
      {pair !== null && (
        <>
          {' '}
          or to <a href="#/swap">a swap on another chain</a>
        </>
      )}
    </>
  );
}
