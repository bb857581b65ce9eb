import type { Hex } from '#libs/core/ids.js';
import { balances } from '#libs/pipeline/projections/balances/projection.js';
import { holders } from '#libs/pipeline/projections/holders/projection.js';
import { HoldersFrame, HoldersSnapshotFrame } from '#libs/serve/contract/live/holders.js';
import { HoldersParams } from '#libs/serve/contract/live/params.js';
import { HoldersQuery } from '#libs/serve/contract/rest/holder-body.js';
import type { KeyDefinition, KeySink, KeySnapshot } from '#libs/serve/live/channel.js';
import type { ChainView } from '#libs/serve/reader/chain-view.js';
import { rowsIn } from '#libs/serve/reader/rows-in.js';
import type { TailEntry } from '#libs/serve/reader/tail-buffer.js';
import { Channel, type LiveChannel } from '../feature/live-channel.js';
import type { ChainFeed } from '../live/chain-feed.js';
import { LiveSubjects, unknownToken } from '../live/live-subjects.js';
import { type KeyChange, ViewKey } from '../live/view-key.js';
import { metaOf } from '../rows/display.js';
import { type HolderRows, holderRows } from './holder-rows.js';

/** As many as the REST route answers by default. */
const ROWS = new HoldersQuery().limit;

/** The largest holders of a token and how many there are, again with every block that changes either. */
@Channel({
  name: 'holders',
  summary: 'The largest holders of a token, and how many it has',
  parameters: HoldersParams,
  frames: [
    { type: 'snapshot', payload: HoldersSnapshotFrame, summary: 'Replaces all: the largest holders and their number.' },
    { type: 'holders', payload: HoldersFrame, summary: 'The same after a block that changed them, whole.' },
  ],
  twin: 'getTokenHolders',
})
export class HoldersChannel implements LiveChannel<HoldersParams> {
  constructor(private readonly subjects: LiveSubjects) {}

  resolve({ chain, token: named }: HoldersParams): KeyDefinition {
    const { feed, token } = this.subjects.token(chain, named);
    const key = `${feed.reader.chain.slug} ${token}`;
    return { key, open: (sink) => new HoldersKey(feed, token, sink) };
  }
}

/** Invariant: amounts, shares and the number of holders are those of REST after every block; values are of the last frame. */
class HoldersKey extends ViewKey<true> {
  /** What the last delta said, without what prices alone move. */
  private said = '';

  constructor(
    feed: ChainFeed,
    private readonly token: Hex,
    sink: KeySink,
  ) {
    super(feed, sink, { holdersOf: [token] });
  }

  protected async load(view: ChainView): Promise<KeySnapshot> {
    const found = await holderRows(view, this.token, 0, ROWS);
    const absent = found === null ? unknownToken(view, this.token) : null;
    return { ...stateOf(found ?? NONE), meta: metaOf(view), absent };
  }

  protected noteOf({ group }: TailEntry): true | null {
    if (group?.facts.kind !== 'block') return null;
    const { facts } = group;
    const ofToken = ({ token }: { token?: unknown }) => token === this.token;
    return rowsIn(balances, facts).some(ofToken) || rowsIn(holders, facts).some(ofToken) ? true : null;
  }

  protected async change(view: ChainView): Promise<KeyChange | null> {
    const found = await holderRows(view, this.token, 0, ROWS);
    return found === null ? null : { type: 'holders', ...stateOf(found) };
  }

  protected override news(change: KeyChange): KeyChange | null {
    const before = this.said;
    this.said = JSON.stringify(change, (name, value) => (name === 'valueUsd' ? undefined : value));
    return this.said === before ? null : change;
  }

  protected override restarted(): void {
    super.restarted();
    this.said = '';
  }
}

const NONE: HolderRows = { rows: [], more: false, complete: false, holders: null };

const stateOf = ({ rows, complete, holders: count }: HolderRows): Pick<KeySnapshot, 'data' | 'extraFields'> => ({
  data: rows,
  extraFields: { complete, holders: count },
});
