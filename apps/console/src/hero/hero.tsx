import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ScreenerRow } from '#libs/serve/contract/rest/screener-body.js';
import { usd } from '../format/numbers.js';
import { chainStates, reorgCount } from '../reorg/reorgs.js';
import type { Clients } from '../state/clients.js';
import { now } from '../state/clock.js';
import { usePolled } from '../state/poll.js';
import { tokenLink } from '../state/route.js';
import { CandleChart } from '../token/candle-chart.js';
import { TradeTape } from '../token/trade-tape.js';
import { useTokenFeeds } from '../token/use-token-feeds.js';
import { Change } from '../ui/change.js';
import { Icon } from '../ui/icons.js';
import { Moving } from '../ui/moving.js';
import { TokenMark } from '../ui/token-mark.js';
import { chooseHero } from './hero-choice.js';

/** Between looks for a token while none moves. */
const LOOK_MS = 5_000;
const CANDIDATES = 30;
/** Short enough that a reorg of a few blocks is a candle of its own, long enough that trades make one. */
const INTERVAL = '15s';
const TAPE_ROWS = 12;

/** Kept as long as the tab lives: coming back to the list changes nothing. */
const chosen = signal<ScreenerRow | null>(null);

/** The busiest token, live, with what a reorg takes back of it. Its place is held while it is looked for. */
export function Hero({ clients }: { clients: Clients }) {
  const row = chosen.value;
  if (row === null) return <Search clients={clients} />;
  return <LiveHero key={`${row.chain} ${row.address}`} clients={clients} row={row} />;
}

function Search({ clients: { rest } }: { clients: Clients }) {
  const { data, error } = usePolled('hero', LOOK_MS, async (ended) => {
    const [busiest, status] = await Promise.all([
      rest.screener({ sort: 'trades', window: '1h', limit: CANDIDATES }, { signal: ended }),
      rest.status({ signal: ended }),
    ]);
    return { found: chooseHero(busiest.data, status.data.chains) };
  });
  useEffect(() => {
    if (data !== null) chosen.value = data.found;
  }, [data]);
  if (error !== null || (data !== null && data.found === null)) return null;
  return (
    <section class="card hero" aria-label="The busiest token">
      <div class="loading" role="status" aria-label="Looking for the busiest token" />
    </section>
  );
}

function LiveHero({ clients, row }: { clients: Clients; row: ScreenerRow }) {
  const { chain, address } = row;
  const { moment, tape, live } = useTokenFeeds(clients, chain, address, TAPE_ROWS);
  const { body, error } = live.token.value;
  const isGone = error !== null && body === null;
  // It is unknown by now, for example because its first blocks were replaced: another one is looked for.
  useEffect(() => {
    if (isGone) chosen.value = null;
  }, [isGone]);
  const token = body ?? row;
  const symbol = token.symbol ?? 'the token';
  return (
    <section class="card hero" aria-labelledby="hero-title" data-hero={address}>
      <div class="hero-main">
        <header class="hero-head">
          <TokenMark chain={chain} symbol={token.symbol} address={address} />
          <h2 id="hero-title">
            <a href={tokenLink(chain, address)}>{token.symbol ?? 'no symbol'}</a> <small>{chain}</small>
          </h2>
          <p class="hero-price">
            <Moving value={token.priceUsd} text={usd(token.priceUsd)} />
            <Change value={token.stats['1h'].priceChangePercent} chip />
            <span class="quiet">1h</span>
          </p>
          <Reorgs chain={chain} />
        </header>
        <CandleChart
          {...{ clients, chain, symbol, moment }}
          token={address}
          interval={INTERVAL}
          pool="primary"
          currency="usd"
          embedded
        />
      </div>
      <TradeTape feed={tape} chain={chain} />
    </section>
  );
}

/** How often the chain replaced blocks until now, and how that is seen. */
function Reorgs({ chain }: { chain: string }) {
  const state = chainStates.value.find((each) => each.chain === chain);
  const counted = state === undefined ? null : reorgCount(state, now.value);
  return (
    <p class="hero-reorgs quiet">
      <Icon name="fork" />
      <span>{counted === null ? '' : `${counted}. `}What a reorg takes back stays outlined for a moment.</span>
    </p>
  );
}
