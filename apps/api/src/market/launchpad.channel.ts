import { AddFrame, LaunchpadSnapshotFrame, RemoveFrame } from '#libs/serve/contract/live/launchpad.js';
import { LaunchpadParams } from '#libs/serve/contract/live/params.js';
import { BoardQuery, type BoardRow } from '#libs/serve/contract/rest/launchpad-body.js';
import type { KeyDefinition } from '#libs/serve/live/channel.js';
import { Channel, type LiveChannel } from '../feature/live-channel.js';
import { LiveSubjects } from '../live/live-subjects.js';
import { boardList } from './boards.js';
import { ListKey, type WatchedList } from './list-key.js';
import { MarketLists } from './market-lists.js';

/** A token of a board is sent at most once in this time, however often it trades. */
export const LOOK_EVERY_MS = 1_500;
/** As many as the REST route answers by default. */
const ROWS = new BoardQuery().limit;

/** The first tokens of a launchpad board, then those that come, change or go. */
@Channel({
  name: 'launchpad',
  summary: 'A board of launchpads: new, graduating or graduated tokens',
  description: 'At most one frame a token in 1.5 seconds: what changes faster is sent as it is then.',
  parameters: LaunchpadParams,
  frames: [
    { type: 'snapshot', payload: LaunchpadSnapshotFrame, summary: 'Replaces all: the first 50 of the board.' },
    { type: 'add', payload: AddFrame, summary: 'Tokens that came onto the board, or changed.' },
    { type: 'remove', payload: RemoveFrame, summary: 'Tokens that left it.' },
  ],
  twin: 'getLaunchpadBoard',
})
export class LaunchpadChannel implements LiveChannel<LaunchpadParams> {
  constructor(
    private readonly subjects: LiveSubjects,
    private readonly lists: MarketLists,
  ) {}

  resolve({ chain, board }: LaunchpadParams): KeyDefinition {
    const feed = this.subjects.chain(chain);
    const list: WatchedList<BoardRow> = {
      everyMs: LOOK_EVERY_MS,
      read: (view) => this.lists.rows(feed.reader, boardList(board), ROWS, view),
      changes: boardChanges,
    };
    const key = `${feed.reader.chain.slug} ${board}`;
    return { key, open: (sink, clock) => new ListKey(feed, list, sink, clock) };
  }
}

/** What brings those who hold the rows before to the rows now. */
function boardChanges(before: readonly BoardRow[] | null, rows: readonly BoardRow[]) {
  // Who follows has the list of a snapshot that is not held here: the whole of it again.
  if (before === null) return { type: 'snapshot', data: rows };
  const held = new Map(before.map((row) => [row.address, JSON.stringify(row)]));
  const added = rows.filter((row) => held.get(row.address) !== JSON.stringify(row));
  const now = new Set(rows.map(({ address }) => address));
  const removed = before.filter(({ address }) => !now.has(address)).map(({ chain, address }) => ({ chain, address }));
  const add = { type: 'add', data: added };
  const remove = { type: 'remove', data: removed };
  if (added.length === 0) return removed.length === 0 ? null : remove;
  return removed.length === 0 ? add : { ...add, second: remove };
}
