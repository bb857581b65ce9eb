import type { Hex } from '#libs/core/ids.js';
import { TokenParams } from '#libs/serve/contract/live/params.js';
import { TokenFrame, TokenSnapshotFrame } from '#libs/serve/contract/live/token.js';
import type { TokenBody } from '#libs/serve/contract/rest/token-body.js';
import type { KeyDefinition, KeySink, KeySnapshot } from '#libs/serve/live/channel.js';
import type { LiveClock } from '#libs/serve/live/live-options.js';
import type { ChainView } from '#libs/serve/reader/chain-view.js';
import { readToken } from '#libs/serve/reader/read-token.js';
import type { TailEntry } from '#libs/serve/reader/tail-buffer.js';
import { Channel, type LiveChannel } from '../feature/live-channel.js';
import type { ChainFeed } from '../live/chain-feed.js';
import { LiveSubjects, unknownToken } from '../live/live-subjects.js';
import { type KeyChange, ViewKey } from '../live/view-key.js';
import { metaOf } from '../rows/display.js';
import { tokenRow } from './token-row.js';
import { tokenTick } from './token-tick.js';

/** What other blocks move of a token is at most so old. */
const SNAPSHOT_EVERY_MS = 60_000;

/** Everything known of a token, then its price, caps and activity with each block in which it trades. */
@Channel({
  name: 'token',
  summary: 'Price, market cap and activity of a token with every trade',
  description:
    'A tick comes with every block in which the token trades, and the whole token every minute, whether it trades or not, and when its picture or links change.',
  parameters: TokenParams,
  frames: [
    { type: 'snapshot', payload: TokenSnapshotFrame, summary: 'Replaces all: the whole token. Repeated every minute.' },
    { type: 'token', payload: TokenFrame, summary: 'Price, caps and activity after the trades of a block.' },
  ],
  twin: 'getToken',
})
export class TokenChannel implements LiveChannel<TokenParams> {
  constructor(private readonly subjects: LiveSubjects) {}

  resolve({ chain, token: named }: TokenParams): KeyDefinition {
    const { feed, token } = this.subjects.token(chain, named);
    const key = `${feed.reader.chain.slug} ${token}`;
    return { key, open: (sink, clock) => new TokenKey(feed, token, sink, clock) };
  }
}

interface Traded {
  readonly trades: number;
  /** The token became known in the block: who has nothing of it gets all of it. */
  readonly known: boolean;
}

/** Invariant: the trades that its ticks count are those of the surviving blocks since the snapshot. */
class TokenKey extends ViewKey<Traded> {
  private cancel: () => void = () => undefined;
  private readonly unwatch: () => void;

  constructor(
    feed: ChainFeed,
    private readonly token: Hex,
    sink: KeySink,
    private readonly clock: LiveClock,
  ) {
    super(feed, sink, { tokens: [token], recordsOf: [token] });
    this.unwatch = feed.reader.about.watch(token, () => this.described());
    this.wait();
  }

  override close(): void {
    this.cancel();
    this.unwatch();
    super.close();
  }

  protected async load(view: ChainView): Promise<KeySnapshot> {
    const data = await this.row(view);
    return { data, meta: metaOf(view), absent: data === null ? unknownToken(view, this.token) : null };
  }

  protected noteOf({ group }: TailEntry): Traded | null {
    if (group?.facts.kind !== 'block') return null;
    const trades = group.tradesOf(this.token).length;
    const known = group.facts.tokens.some(({ token }) => token === this.token);
    return trades > 0 || known ? { trades, known } : null;
  }

  protected async change(view: ChainView, notes: readonly Traded[]): Promise<KeyChange | null> {
    if (notes.some(({ known }) => known)) return { type: 'snapshot', data: await this.row(view) };
    const tick = await tokenTick(view, this.token);
    if (tick === null) return null;
    return { type: 'token', data: { ...tick, trades: notes.reduce((sum, { trades }) => sum + trades, 0) } };
  }

  private async row(view: ChainView): Promise<TokenBody | null> {
    const state = await readToken(view, this.token);
    return state && tokenRow(view, this.token, state);
  }

  /** Its picture or links changed, without a block. */
  private described(): void {
    this.restarted();
    this.sink.reload('replaced');
  }

  private wait(): void {
    this.cancel = this.clock.after(SNAPSHOT_EVERY_MS, () => {
      this.wait();
      this.sink.reload('replaced');
    });
  }
}
