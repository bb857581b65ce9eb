import { createHmac } from 'node:crypto';
import type { Meta } from '#libs/serve/contract/rest/meta.js';
import type { ChannelPosition } from '#libs/serve/live/channel.js';
import type { ChainReader } from '#libs/serve/reader/chain-reader.js';
import type { ChainView } from '#libs/serve/reader/chain-view.js';
import type { TailEntry } from '#libs/serve/reader/tail-buffer.js';
import type { ServedLog, TailListener } from '#libs/serve/reader/tail-listener.js';
import { type FeedInterest, type FeedListener, FeedListeners } from './feed-listeners.js';
import { GroupHistory, type HistoryBounds } from './group-history.js';
import { TokenRecords } from './token-records.js';

export type { FeedInterest, FeedListener } from './feed-listeners.js';

const defaultBounds: HistoryBounds = { groups: 1_024, bytes: 32 * 1024 * 1024 };

/**
 * One chain as the live channels see it: what its reader serves, to whom a group matters, and the recent groups.
 * Invariant: `seq` is that of the reader's newest view, and every listener has heard of every group up to it that
 * concerns it.
 */
export class ChainFeed implements TailListener {
  readonly records: TokenRecords;
  private readonly listeners = new FeedListeners();
  private history: GroupHistory;
  private served = { chain: '', epoch: 0, foldVersion: 0 };
  /** null: not asked for yet. */
  private log: string | null = null;
  private readonly stop: () => void;

  constructor(
    readonly reader: ChainReader,
    /** What tells this installation's logs from others with the same numbers. The same on every instance of it. */
    private readonly identity: () => Uint8Array,
    private readonly bounds: HistoryBounds = defaultBounds,
  ) {
    this.records = new TokenRecords(() => this.reader.view());
    this.history = new GroupHistory(this.bounds, -1, []);
    this.stop = reader.listen(this);
  }

  /** Names the log that seqs count in. */
  get epoch(): string {
    if (this.log === null) {
      const { chain, epoch, foldVersion } = this.served;
      const name = `live ${chain} ${epoch} ${foldVersion}`;
      const mark = createHmac('sha256', this.identity()).update(name).digest('base64url').slice(0, 8);
      this.log = `${epoch}.${foldVersion}.${mark}`;
    }
    return this.log;
  }

  get seq(): number {
    return this.history.seq;
  }

  /** The position of a view. */
  positionOf(view: ChainView): ChannelPosition {
    return { epoch: this.epoch, seq: view.pin.seq };
  }

  /** The groups after a position, or null when they are not all held or the position is of another log. */
  after({ epoch, seq }: ChannelPosition): readonly TailEntry[] | null {
    return epoch === this.epoch && seq <= this.seq ? this.history.range(seq + 1, this.seq) : null;
  }

  /** The group at a position of this log; null when it is not held. */
  groupAt(seq: number): TailEntry | null {
    return this.history.range(seq, seq)?.[0] ?? null;
  }

  /** The groups that a retraction took back, those that were taken back before included; null when not all are held. */
  retractedBy({ retracts }: TailEntry): readonly TailEntry[] | null {
    return retracts === null ? [] : this.history.range(retracts.fromSeq, retracts.retractSeq - 1);
  }

  /** The newest view as it was one group before an entry that was just taken. */
  viewBefore({ seq }: TailEntry): ChainView {
    return this.reader.view({ ...this.reader.view().pin, seq: seq - 1 });
  }

  metaAt({ head, finalizedHeight }: TailEntry): Meta {
    const { height, hash, proof } = head;
    const blockHash = this.reader.chain.ids.formatBlockHash(hash);
    return { block: height, blockHash, finalized: finalizedHeight < 0 ? null : finalizedHeight, proof };
  }

  /** A listener hears of what it is interested in from now on; the answer ends it. */
  add(interest: FeedInterest, listener: FeedListener): () => void {
    return this.listeners.add(interest, listener);
  }

  onGroup(entry: TailEntry): void {
    this.history.push(entry);
    this.records.append(entry);
    if (this.listeners.size === 0 || entry.group === null) return;
    const { facts } = entry.group;
    const concerned = facts.kind === 'retract' ? this.listeners : this.listeners.concernedBy(facts);
    for (const listener of concerned) listener.onGroup(entry);
  }

  onReset({ epoch, foldVersion, seq, held }: ServedLog): void {
    this.served = { chain: this.reader.chain.slug, epoch, foldVersion };
    this.log = null;
    this.history = new GroupHistory(this.bounds, seq, held);
    this.records.forget();
    for (const listener of this.listeners) listener.onReset();
  }

  onAvailable(): void {
    for (const listener of this.listeners) listener.onAvailable();
  }

  close(): void {
    this.stop();
  }
}
