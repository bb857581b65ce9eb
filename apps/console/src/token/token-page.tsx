import { useEffect } from 'preact/hooks';
import type { TokenBody } from '#libs/serve/contract/rest/token-body.js';
import { amount, compactUsd, price, shortId, UNKNOWN, usd, whole } from '../format/numbers.js';
import type { TokenAddress } from '../shown/token-address.js';
import { isNamed } from '../state/chain-name.js';
import type { Clients } from '../state/clients.js';
import { usePolled } from '../state/poll.js';
import { listLink, tokensLink } from '../state/route.js';
import { Change } from '../ui/change.js';
import { CopyButton } from '../ui/copy-button.js';
import { Figure } from '../ui/figure.js';
import { Icon } from '../ui/icons.js';
import { BasisMark } from '../ui/marks.js';
import { Moving } from '../ui/moving.js';
import { usePageTitle } from '../ui/page-title.js';
import { Problem } from '../ui/problem.js';
import { TokenMark } from '../ui/token-mark.js';
import { ChartPanel } from './chart-panel.js';
import { HolderTable } from './holder-table.js';
import { PoolTable } from './pool-table.js';
import { SafetyCard, SafetyPill } from './safety-card.js';
import { exitBasis } from './safety-findings.js';
import { SwapLink } from './swap-link.js';
import { TradeTape } from './trade-tape.js';
import { TraderTable } from './trader-table.js';
import { useTokenFeeds } from './use-token-feeds.js';
import { WindowTable } from './window-table.js';

interface TokenPageProps {
  clients: Clients;
  chain: string;
  address: string;
  shown: TokenAddress;
}

/** What the channel moves comes live; what it does not is asked for this often. */
const REFRESH_MS = 30_000;

/** Live data is asked for once the token is known, so that a page opened too early continues by itself. */
export function TokenPage(props: TokenPageProps) {
  const { clients, chain, address } = props;
  const about = `${chain} ${address}`;
  const { data, error } = usePolled(about, REFRESH_MS, (signal) => clients.rest.token(chain, address, {}, { signal }));
  if (data !== null) return <KnownToken key={about} {...props} asked={data.data} />;
  return (
    <div class="page">
      {error === null ? (
        <div class="loading" role="status" aria-label="Loading the token" />
      ) : (
        <Problem error={error} what="This token" alone />
      )}
    </div>
  );
}

function KnownToken({ clients, chain, address, shown, asked }: TokenPageProps & { asked: TokenBody }) {
  const coin = useCoin(clients, chain);
  const { moment, tape, live } = useTokenFeeds(clients, chain, address);
  const { side, minUsd } = shown;
  useEffect(() => tape.narrow({ side, minUsd }), [tape, side, minUsd]);
  const { body, error } = live.token.value;
  const token = body ?? asked;
  usePageTitle(`${token.symbol ?? 'Token'} ${usd(token.priceUsd)}`);
  // A token whose blocks were replaced is none.
  if (body === null && error?.status === 404) {
    return (
      <div class="page">
        <Problem error={error} what="This token" alone />
      </div>
    );
  }
  return (
    <div class="page token-page" data-at={token.updatedAt}>
      <TokenHead {...{ clients, token, coin }} />
      <div class="token-columns">
        <div class="token-main">
          <ChartPanel
            {...{
              clients,
              chain,
              coin,
              moment,
              shown,
              pools: token.pools,
              token: address,
              symbol: token.symbol ?? 'the token',
            }}
          />
          <SafetyCard token={token} />
          <WindowTable stats={token.stats} />
          <PoolTable token={token} />
          <TraderTable clients={clients} token={token} />
          <HolderTable clients={clients} token={token} />
        </div>
        <TradeTape feed={tape} chain={token.chain} filter={{ side, minUsd }} />
      </div>
    </div>
  );
}

function TokenHead({ clients, token, coin }: { clients: Clients; token: TokenBody; coin: string }) {
  const day = token.stats['24h'];
  // The longest window over which the change is known: a young history has none over a day.
  const window =
    (['24h', '6h', '1h', '5m'] as const).find((name) => token.stats[name].priceChangePercent !== null) ?? '24h';
  return (
    <section class="token-head" aria-labelledby="token-title">
      <div class="token-title">
        <a class="plain back" href={listLink.value} aria-label="Back to the list">
          <Icon name="back" />
        </a>
        <TokenMark chain={token.chain} symbol={token.symbol} address={token.address} large />
        <div>
          <h1 id="token-title">
            {token.symbol ?? 'no symbol'} <span>{token.name}</span>
          </h1>
          <p class="quiet">
            <a href={tokensLink(token.chain)}>{token.chain}</a> ·{' '}
            <code title={token.address}>{shortId(token.address)}</code>
            <CopyButton text={token.address} what="the address" />
          </p>
        </div>
        <SwapLink clients={clients} token={token} />
      </div>
      <div class="token-price">
        <p class="big" data-price={token.priceUsd ?? ''}>
          <Moving value={token.priceUsd} text={usd(token.priceUsd)} /> <BasisMark {...token} />
        </p>
        <p>
          <Change value={token.stats[window].priceChangePercent} chip />
          <span class="quiet">
            {' '}
            {window}
            <span class="native">
              {price(token.priceNative)} {coin}
            </span>
          </span>
        </p>
      </div>
      <SafetyPill token={token} />
      <dl class="figures">
        <Figure name="Market cap" value={compactUsd(token.marketCapUsd)} />
        <Figure name="Fully diluted" value={compactUsd(token.fdvUsd)} />
        <Figure name="Liquidity" value={compactUsd(token.liquidityUsd)} />
        <Figure name="Exit value" value={<span title={exitBasis(token)}>{compactUsd(token.exitUsd)}</span>} />
        <Figure name="Volume 24h" value={compactUsd(day.volumeUsd)} />
        <Figure name="Trades 24h" value={whole(day.trades)} />
        <Figure name="Holders" value={whole(token.holders)} />
        <Figure name="Supply" value={token.supply === null ? UNKNOWN : amount(token.supply)} />
      </dl>
    </section>
  );
}

/** Symbol of the chain's coin; until it is known, a word for it. */
function useCoin({ rest }: Clients, chain: string): string {
  const { data } = usePolled('chains', 600_000, (signal) => rest.chains({ signal }));
  return data?.data.find((row) => isNamed(row, chain))?.nativeCurrency?.symbol ?? 'coin';
}
