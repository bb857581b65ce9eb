import type { RestClient } from '#libs/serve/client/rest-client.js';
import { compactUsd, usd, whole } from '../format/numbers.js';
import { usePolled } from '../state/poll.js';
import { trendingLink, type WindowName, windowNames } from '../state/route.js';
import { Change } from '../ui/change.js';
import { BasisMark } from '../ui/marks.js';
import { Moving } from '../ui/moving.js';
import { Notice } from '../ui/notice.js';
import { usePageTitle } from '../ui/page-title.js';
import { Problem } from '../ui/problem.js';
import { TokenLink } from '../ui/token-link.js';

const REFRESH_MS = 2_000;
const ROWS = 50;

/** The most active tokens of a window, over all chains, with how their score compares. */
export function TrendingPage({ rest, window }: { rest: RestClient; window: WindowName }) {
  usePageTitle('Trending');
  const { data, error } = usePolled(window, REFRESH_MS, (signal) =>
    rest.call('getTrending', { query: { window, limit: ROWS } }, { signal }),
  );
  const best = data?.data[0]?.score ?? 0;
  return (
    <div class="page trending-page">
      <div class="page-head">
        <h1>Trending</h1>
        <nav class="choices chain-choice" aria-label="Window">
          {windowNames.map((name) => (
            <a key={name} href={trendingLink(name)} aria-current={name === window ? 'true' : undefined}>
              {name}
            </a>
          ))}
        </nav>
      </div>
      {data === null && error === null && <div class="loading" role="status" aria-label="Loading the tokens" />}
      {data === null && error !== null && <Problem error={error} what="This list" />}
      {data?.data.length === 0 && <Notice title="No trades in this window">Choose a longer one.</Notice>}
      {data !== null && data.data.length > 0 && (
        <ol class="launches" data-list>
          {data.data.map((row, index) => {
            const { volumeUsd, trades, buyers, sellers, priceChangePercent } = row.stats[window];
            return (
              <li key={`${row.chain} ${row.address}`} class="card launch" data-token={row.address}>
                <TokenLink row={row} labelled before={<span class="quiet rank">{index + 1}</span>} />
                <p class="launch-price">
                  <BasisMark {...row} />
                  <Moving value={row.priceUsd} text={usd(row.priceUsd)} /> <Change value={priceChangePercent} />
                </p>
                <p class="launch-curve">
                  <span class="share-bar" aria-hidden="true">
                    <span style={{ width: `${best === 0 ? 0 : ((row.score / best) * 100).toFixed(1)}%` }} />
                  </span>
                  <small>score {row.score.toFixed(1)}</small>
                </p>
                <p class="quiet launch-time">
                  <span>{compactUsd(volumeUsd)}</span>
                  <small>
                    {whole(trades)} trades, {whole(buyers + sellers)} wallets
                  </small>
                </p>
              </li>
            );
          })}
        </ol>
      )}
    </div>
  );
}
