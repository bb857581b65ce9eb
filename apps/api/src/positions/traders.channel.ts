import type { Hex } from '#libs/core/ids.js';
import { positions } from '#libs/pipeline/projections/positions/projection.js';
import { TradersParams } from '#libs/serve/contract/live/params.js';
import { TradersFrame, TradersSnapshotFrame } from '#libs/serve/contract/live/traders.js';
import { TradersQuery } from '#libs/serve/contract/rest/profit-queries.js';
import type { KeyDefinition, KeySink, KeySnapshot } from '#libs/serve/live/channel.js';
import type { ChainView } from '#libs/serve/reader/chain-view.js';
import { rowsIn } from '#libs/serve/reader/rows-in.js';
import type { TailEntry } from '#libs/serve/reader/tail-buffer.js';
import { Channel, type LiveChannel } from '../feature/live-channel.js';
import type { ChainFeed } from '../live/chain-feed.js';
import { LiveSubjects, unknownToken } from '../live/live-subjects.js';
import { type KeyChange, ViewKey } from '../live/view-key.js';
import { metaOf } from '../rows/display.js';
import { traderRows } from './trader-rows.js';

/** As many as the REST route answers by default. */
const ROWS = new TradersQuery().limit;

/** Who made most of a token, again with every block that changes a position in it. */
@Channel({
  name: 'traders',
  summary: 'Traders of a token, the largest realised profit first',
  parameters: TradersParams,
  frames: [
    { type: 'snapshot', payload: TradersSnapshotFrame, summary: 'Replaces all: the first 50.' },
    { type: 'traders', payload: TradersFrame, summary: 'The same after a block that changed a position, whole.' },
  ],
  twin: 'getTokenTraders',
})
export class TradersChannel implements LiveChannel<TradersParams> {
  constructor(private readonly subjects: LiveSubjects) {}

  resolve({ chain, token: named }: TradersParams): KeyDefinition {
    const { feed, token } = this.subjects.token(chain, named);
    const key = `${feed.reader.chain.slug} ${token}`;
    return { key, open: (sink) => new TradersKey(feed, token, sink) };
  }
}

/** Invariant: who is listed and what they traded are those of REST after every block; what the price alone moves is of the last frame. */
class TradersKey extends ViewKey<true> {
  constructor(
    feed: ChainFeed,
    private readonly token: Hex,
    sink: KeySink,
  ) {
    super(feed, sink, { tokens: [token], holdersOf: [token] });
  }

  protected async load(view: ChainView): Promise<KeySnapshot> {
    const found = await traderRows(view, this.token, 0, ROWS);
    const absent = found === null ? unknownToken(view, this.token) : null;
    return { data: found?.rows ?? [], meta: metaOf(view), absent };
  }

  protected noteOf({ group }: TailEntry): true | null {
    if (group?.facts.kind !== 'block') return null;
    return rowsIn(positions, group.facts).some(({ token }) => token === this.token) ? true : null;
  }

  protected async change(view: ChainView): Promise<KeyChange | null> {
    const found = await traderRows(view, this.token, 0, ROWS);
    return found && { type: 'traders', data: found.rows };
  }
}
