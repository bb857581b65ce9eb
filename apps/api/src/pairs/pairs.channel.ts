import type { Hex } from '#libs/core/ids.js';
import { PairFrame, PairsSnapshotFrame } from '#libs/serve/contract/live/pairs.js';
import { PairsParams } from '#libs/serve/contract/live/params.js';
import type { KeyDefinition, KeySink, KeySnapshot, Pending } from '#libs/serve/live/channel.js';
import { badLiveRequest } from '#libs/serve/live/live-problem.js';
import type { ChainView } from '#libs/serve/reader/chain-view.js';
import { readTokenPools } from '#libs/serve/reader/read-token.js';
import type { TailEntry } from '#libs/serve/reader/tail-buffer.js';
import { Channel, type LiveChannel } from '../feature/live-channel.js';
import type { ChainFeed } from '../live/chain-feed.js';
import { absence, LiveSubjects } from '../live/live-subjects.js';
import { type KeyChange, ViewKey } from '../live/view-key.js';
import { metaOf } from '../rows/display.js';
import { MOST_POOLS_SHOWN, poolRow } from '../tokens/token-row.js';

/** In block time: a pool that trades all the time is named as often as that. */
export const REPEAT_MS = 300_000;

/** The pools of a token, then each that is created, and each that trades every five minutes. */
@Channel({
  name: 'pairs',
  summary: 'Pools that a token trades in; EVM chains only',
  description: 'A pool that keeps trading is named again every 5 minutes of block time.',
  parameters: PairsParams,
  frames: [
    { type: 'snapshot', payload: PairsSnapshotFrame, summary: 'Replaces all: the pools of the token.' },
    { type: 'pair', payload: PairFrame, summary: 'Pools that are new, or trade and were not named for 5 minutes.' },
  ],
  twin: 'getToken',
  family: 'evm',
})
export class PairsChannel implements LiveChannel<PairsParams> {
  constructor(private readonly subjects: LiveSubjects) {}

  resolve({ chain, token: named }: PairsParams): KeyDefinition {
    const { chain: spec } = this.subjects.chain(chain).reader;
    if (spec.family !== 'evm') throw badLiveRequest('the pairs channel is EVM only');
    const { feed, token } = this.subjects.token(chain, named);
    return { key: `${spec.slug} ${token}`, open: (sink) => new PairsKey(feed, token, sink) };
  }
}

/** Invariant: a client that applies its frames has every pool of the token, as it was when it was named last. */
class PairsKey extends ViewKey<ReadonlySet<Hex>> {
  /** Block time at which each pool was named last. */
  private readonly named = new Map<Hex, number>();
  /** Block time of the first snapshot, which named all that there were. */
  private from: number | null = null;

  constructor(
    feed: ChainFeed,
    private readonly token: Hex,
    sink: KeySink,
  ) {
    super(feed, sink, { tokens: [token], poolsOf: [token] });
  }

  override snapshot(discarded: boolean): Pending<KeySnapshot> {
    const pending = super.snapshot(discarded);
    this.from ??= this.feed.reader.view().head.time;
    return pending;
  }

  protected async load(view: ChainView): Promise<KeySnapshot> {
    const { token } = this;
    const pools = await readTokenPools(view, token);
    const data = pools.slice(0, MOST_POOLS_SHOWN).map((pool) => poolRow(view.chain, pool));
    return { data, meta: metaOf(view), absent: pools.length === 0 ? await absence(view, token) : null };
  }

  protected noteOf(entry: TailEntry): ReadonlySet<Hex> | null {
    const pools = new Set(this.createdIn(entry));
    for (const { pool } of entry.group?.tradesOf(this.token) ?? []) pools.add(pool);
    return pools.size === 0 ? null : pools;
  }

  protected override liveNoteOf(entry: TailEntry): ReadonlySet<Hex> | null {
    const { time } = entry.head;
    const due = new Set(this.createdIn(entry));
    for (const { pool } of entry.group?.tradesOf(this.token) ?? []) {
      const last = this.named.get(pool) ?? this.from;
      if (last === null || time - last >= REPEAT_MS) due.add(pool);
    }
    for (const pool of due) this.named.set(pool, time);
    return due.size === 0 ? null : due;
  }

  protected async change(view: ChainView, notes: readonly ReadonlySet<Hex>[]): Promise<KeyChange | null> {
    const due = new Set(notes.flatMap((pools) => [...pools]));
    const rows = await readTokenPools(view, this.token, due);
    return rows.length === 0 ? null : { type: 'pair', data: rows.map((pool) => poolRow(view.chain, pool)) };
  }

  protected override restarted(): void {
    super.restarted();
    this.named.clear();
    this.from = null;
  }

  private createdIn({ group }: TailEntry): Hex[] {
    if (group?.facts.kind !== 'block') return [];
    const { token } = this;
    return group.facts.pools
      .filter(({ token0, token1 }) => token0 === token || token1 === token)
      .map(({ pool }) => pool);
  }
}
