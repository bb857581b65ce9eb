import { useEffect } from 'preact/hooks';
import type { RestClient } from '#libs/serve/client/rest-client.js';
import { ago } from '../format/times.js';
import { chainStates, newestReorg, reorgHints, reorgSentence } from '../reorg/reorgs.js';
import { now } from '../state/clock.js';
import { usePolled } from '../state/poll.js';
import { type Route, route } from '../state/route.js';
import { Icon } from '../ui/icons.js';

const REFRESH_MS = 5_000;
/** After live data announced one: the service has counted it by then. */
const HINT_MS = 1_000;
/** It is highlighted for so long. */
const FRESH_MS = 15_000;

/** On every page: the newest reorg, of the page's own chain where it has one. It is in the bar, so that nothing moves. */
export function ReorgLine({ rest }: { rest: RestClient }) {
  const { data, refresh } = usePolled('reorgs', REFRESH_MS, (signal) => rest.status({ signal }));
  useEffect(() => {
    if (data !== null) chainStates.value = data.data.chains;
  }, [data]);
  const hints = reorgHints.value;
  useEffect(() => {
    if (hints === 0) return;
    const timer = setTimeout(refresh, HINT_MS);
    return () => clearTimeout(timer);
  }, [hints]);
  const news = newestReorg(chainStates.value, chainOf(route.value));
  const sentence = news === null ? '' : reorgSentence(news);
  return (
    <>
      {news !== null && (
        <a
          class={now.value - news.last.time < FRESH_MS ? 'reorg-line reorg-fresh' : 'reorg-line'}
          href="#/status"
          title={sentence}
          data-reorg={`${news.chain} ${news.last.fromBlock}`}
        >
          <Icon name="fork" />
          <span class="reorg-words">{sentence}, </span>
          <span>{ago(news.last.time, now.value)}</span>
        </a>
      )}
      <span class="unseen" role="status">
        {sentence}
      </span>
    </>
  );
}

function chainOf(place: Route): string | null {
  if (place.page === 'tokens' || place.page === 'token' || place.page === 'wallet') return place.chain;
  return place.page === 'swap' ? (place.pair?.chain ?? null) : null;
}
