import { LogBrokenError } from '#libs/core/errors.js';
import type { Hex } from '#libs/core/ids.js';
import type { KeyedRow } from '#libs/pipeline/projections/keyed-form.js';
import type { SectionMember } from '#libs/pipeline/projections/section.js';
import type { Checkpoint } from '#libs/pipeline/store/market/checkpoint.js';
import type { RetractedRange } from '#libs/pipeline/store/market/view.js';
import type { BlockProof } from '#libs/protocol/blocks.js';
import type { FactsBlock, FactsGroup, FactsRetract, PriceFact, TradeFact } from '#libs/protocol/facts.js';

export interface Head {
  height: number;
  hash: Hex;
  time: number;
  /** `none` where its source did not say. */
  proof: BlockProof;
}

/** A group that carries rows: what a view overlays on the tables. */
export class TailGroup {
  private byToken: Map<Hex, TradeFact[]> | null = null;
  private prices: Map<Hex, PriceFact> | null = null;
  private readonly keyed = new Map<string, Map<Hex, KeyedRow[]>>();

  constructor(readonly facts: FactsBlock | FactsRetract) {}

  /** Trades of this group that have the token on either side, in chain order. */
  tradesOf(token: Hex): readonly TradeFact[] {
    if (this.facts.kind !== 'block') return [];
    if (this.byToken === null) {
      this.byToken = new Map();
      for (const trade of this.facts.trades) {
        for (const side of [trade.base, trade.quote]) {
          const list = this.byToken.get(side);
          if (list === undefined) this.byToken.set(side, [trade]);
          else if (list[list.length - 1] !== trade) list.push(trade);
        }
      }
    }
    return this.byToken.get(token) ?? [];
  }

  priceOf(token: Hex): PriceFact | undefined {
    this.prices ??= new Map(this.facts.prices.map((price) => [price.token, price]));
    return this.prices.get(token);
  }

  /** Rows of a keyed projection with an id in a field of their key. */
  keyedRowsOf(member: SectionMember, field: string, id: Hex): readonly KeyedRow[] {
    const name = `${member} ${field}`;
    let byId = this.keyed.get(name);
    if (byId === undefined) {
      byId = new Map();
      this.keyed.set(name, byId);
      const rows = (this.facts as unknown as Record<string, readonly KeyedRow[] | undefined>)[member] ?? [];
      for (const row of rows) {
        const known = byId.get(row[field] as Hex);
        if (known === undefined) byId.set(row[field] as Hex, [row]);
        else known.push(row);
      }
    }
    return byId.get(id) ?? [];
  }
}

/** One group of the log and what holds after it. */
export interface TailEntry {
  readonly seq: number;
  readonly bytes: number;
  /** null for groups without rows. */
  readonly group: TailGroup | null;
  readonly retracts: RetractedRange | null;
  /** Time of the new head of a retraction: seals that end after it hold for no view at or above it. */
  readonly reopensAt: number | null;
  readonly head: Head;
  readonly finalizedHeight: number;
}

/** What one seq looked like: everything a view at it needs. */
export interface TailState {
  seq: number;
  head: Head;
  finalizedHeight: number;
  /**
   * Highest seq that is read from the tables: the checkpoint, or what a retraction in the tail left of it. A retraction
   * takes everything from its fromSeq on, so that one lower seq is enough.
   */
  tablesSeq: number;
  /** Buckets that end at or before this time are sealed in the tables. */
  sealedTime: number;
  /** Visible groups above the checkpoint, ascending. */
  groups: readonly TailGroup[];
}

/**
 * Facts above the adopted checkpoint, retracted ones included: a view that was pinned before a retraction still sees
 * them. Invariant: entries are gapless from checkpoint.seq + 1 to the position; a checkpoint is adopted only when the
 * position is at or above it (rule 20), and adopting it drops exactly the entries it covers.
 */
export class TailBuffer {
  private entries: TailEntry[] = [];
  private base: Checkpoint;
  private heldBytes = 0;
  private newest: TailState | null = null;

  constructor(checkpoint: Checkpoint) {
    this.base = checkpoint;
  }

  get checkpoint(): Checkpoint {
    return this.base;
  }

  /** The highest seq that is held in the tail or covered by the checkpoint. */
  get position(): number {
    return this.base.seq + this.entries.length;
  }

  get bytes(): number {
    return this.heldBytes;
  }

  get length(): number {
    return this.entries.length;
  }

  /** The last block of what is held. */
  get head(): Head {
    return this.entries[this.entries.length - 1]?.head ?? headOf(this.base);
  }

  /** Entries above a seq; null when some of them are covered by the checkpoint. */
  entriesAbove(seq: number): readonly TailEntry[] | null {
    return seq < this.base.seq ? null : this.entries.slice(seq - this.base.seq);
  }

  /** The next group of the log. A repeat is ignored (null), a gap or another chain's group is refused. */
  push(facts: FactsGroup, bytes: number): TailEntry | null {
    if (facts.seq <= this.position) return null;
    if (facts.seq !== this.position + 1) {
      throw new LogBrokenError(`reader: expected facts seq ${this.position + 1}, got ${facts.seq}`);
    }
    if (facts.epoch !== this.base.epoch) {
      throw new LogBrokenError(`reader: facts of epoch ${facts.epoch} in the topic of epoch ${this.base.epoch}`);
    }
    const entry: TailEntry = { ...this.next(facts), seq: facts.seq, bytes };
    this.entries.push(entry);
    this.heldBytes += bytes;
    this.newest = null;
    return entry;
  }

  /** Takes over a newer checkpoint and drops what it covers; false when it is ahead of the position or not newer. */
  adopt(checkpoint: Checkpoint): boolean {
    const older =
      checkpoint.seq < this.base.seq || (checkpoint.seq === this.base.seq && checkpoint.step <= this.base.step);
    if (older || checkpoint.seq > this.position) return false;
    const covered = this.entries.splice(0, checkpoint.seq - this.base.seq);
    for (const entry of covered) this.heldBytes -= entry.bytes;
    this.base = checkpoint;
    this.newest = null;
    return true;
  }

  /** The state at the position, or at an earlier seq that is not below the checkpoint. */
  stateAt(seq: number = this.position): TailState {
    if (seq === this.position && this.newest !== null) return this.newest;
    if (seq < this.base.seq || seq > this.position) throw new RangeError(`no state at seq ${seq}`);
    const upTo = this.entries.slice(0, seq - this.base.seq);
    const last = upTo[upTo.length - 1];
    const own = upTo.flatMap((entry) => (entry.retracts === null ? [] : [entry.retracts]));
    const isVisible = (candidate: number) =>
      !own.some((range) => candidate >= range.fromSeq && candidate < range.retractSeq);
    const state: TailState = {
      seq,
      head: last?.head ?? headOf(this.base),
      finalizedHeight: last?.finalizedHeight ?? this.base.finalizedHeight,
      tablesSeq: own.reduce((lowest, range) => Math.min(lowest, range.fromSeq - 1), this.base.seq),
      sealedTime: upTo.reduce((time, entry) => Math.min(time, entry.reopensAt ?? time), this.base.sealedTime),
      groups: upTo.flatMap((entry) => (entry.group !== null && isVisible(entry.seq) ? [entry.group] : [])),
    };
    if (seq === this.position) this.newest = state;
    return state;
  }

  private next(facts: FactsGroup): Omit<TailEntry, 'seq' | 'bytes'> {
    const last = this.entries[this.entries.length - 1];
    const head = last?.head ?? headOf(this.base);
    const finalizedHeight = last?.finalizedHeight ?? this.base.finalizedHeight;
    const own = headOf(facts);
    switch (facts.kind) {
      case 'epoch':
        return { group: null, retracts: null, reopensAt: null, head: own, finalizedHeight };
      case 'finalize':
        return {
          group: null,
          retracts: null,
          reopensAt: null,
          head,
          finalizedHeight: Math.max(finalizedHeight, facts.finalizedHeight),
        };
      case 'retract':
        return {
          group: new TailGroup(facts),
          retracts: { fromSeq: facts.fromSeq, retractSeq: facts.seq },
          reopensAt: facts.time,
          head: own,
          finalizedHeight: Math.min(finalizedHeight, facts.height),
        };
      case 'block':
        if (head.hash !== '' && facts.parentHash !== head.hash) {
          throw new LogBrokenError(`reader: block ${facts.height} at seq ${facts.seq} does not follow ${head.height}`);
        }
        return { group: new TailGroup(facts), retracts: null, reopensAt: null, head: own, finalizedHeight };
    }
  }
}

/** The block that a group, a checkpoint or a row names. */
export function headOf(of: { height: number; hash: Hex; time: number; proof?: BlockProof }): Head {
  return { height: of.height, hash: of.hash, time: of.time, proof: of.proof ?? 'none' };
}
