import type { RestClient } from '#libs/serve/client/rest-client.js';
import type { BoardRow } from '#libs/serve/contract/rest/launchpad-body.js';
import { compactUsd, usd, whole } from '../format/numbers.js';
import { ago, fullTime } from '../format/times.js';
import { now } from '../state/clock.js';
import { usePolled } from '../state/poll.js';
import { type BoardName, boardLink, boardNames } from '../state/route.js';
import { BasisMark } from '../ui/marks.js';
import { Moving } from '../ui/moving.js';
import { Notice } from '../ui/notice.js';
import { LaunchTabs } from '../ui/page-link.js';
import { usePageTitle } from '../ui/page-title.js';
import { Problem } from '../ui/problem.js';
import { ShareBar } from '../ui/share-bar.js';
import { TokenLink } from '../ui/token-link.js';

const REFRESH_MS = 2_000;
const ROWS = 50;

const words: Readonly<Record<BoardName, { label: string; empty: string }>> = {
  new: { label: 'New', empty: 'No token is on its curve now. A launch appears here with its block.' },
  graduating: { label: 'Graduating', empty: 'No curve is at 70 % or more with a trade in the last hour.' },
  graduated: { label: 'Graduated', empty: 'No token has left its curve yet.' },
};

/** The launchpads' boards: what was launched, what is about to leave its curve, and what left. */
export function BoardsPage({ rest, board }: { rest: RestClient; board: BoardName }) {
  usePageTitle(`${words[board].label} launches`);
  const { data, error } = usePolled(board, REFRESH_MS, (signal) =>
    rest.call('getLaunchpadBoard', { path: { board }, query: { limit: ROWS } }, { signal }),
  );
  return (
    <div class="page boards-page">
      <div class="page-head">
        <h1>Launches</h1>
        <LaunchTabs current="boards" />
        <nav class="choices chain-choice" aria-label="Boards">
          {boardNames.map((name) => (
            <a key={name} href={boardLink(name)} aria-current={name === board ? 'true' : undefined}>
              {words[name].label}
            </a>
          ))}
        </nav>
      </div>
      {data === null && error === null && <div class="loading" role="status" aria-label="Loading the board" />}
      {data === null && error !== null && <Problem error={error} what="This board" />}
      {data?.data.length === 0 && <Notice title="Nothing here yet">{words[board].empty}</Notice>}
      {data !== null && data.data.length > 0 && (
        <ul class="launches" data-list>
          {data.data.map((row) => (
            <Launch key={`${row.chain} ${row.address}`} row={row} />
          ))}
        </ul>
      )}
    </div>
  );
}

function Launch({ row }: { row: BoardRow }) {
  const { launchpad, curve, createdAt } = row;
  return (
    <li class="card launch" data-token={row.address}>
      <TokenLink row={row} labelled />
      <p class="launch-price">
        <BasisMark {...row} /> <Moving value={row.priceUsd} text={usd(row.priceUsd)} />
        <small>cap {compactUsd(row.marketCapUsd)}</small>
      </p>
      <p class="launch-curve">
        {launchpad?.graduated ? <span class="up">Graduated</span> : <ShareBar percent={curve.progressPercent} />}
        <small>{launchpad?.name}</small>
      </p>
      <p class="quiet launch-time">
        {launchpad?.graduatedAt != null ? (
          <span title={fullTime(launchpad.graduatedAt)}>{ago(launchpad.graduatedAt, now.value)}</span>
        ) : (
          createdAt !== null && <span title={fullTime(createdAt)}>{ago(createdAt, now.value)}</span>
        )}
        <small>{row.holders === null ? '' : `${whole(row.holders)} holders`}</small>
      </p>
    </li>
  );
}
