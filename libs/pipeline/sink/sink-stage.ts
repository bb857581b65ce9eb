// Room: the stage that writes facts into tables: intents, batches, replay. May import core, protocol, platform,
// pipeline/event-log, pipeline/epochs, pipeline/projections, pipeline/store.

import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { FencedError, LogBrokenError } from '#libs/core/errors.js';
import { noSteps, type Steps } from '#libs/core/steps.js';
import { decodeRecord } from '#libs/pipeline/event-log/decode-record.js';
import type { EventLog, LogWriter, SequencedRecord } from '#libs/pipeline/event-log/log.js';
import { type Checkpoint, emptyCheckpoint } from '#libs/pipeline/store/market/checkpoint.js';
import type { TimesOfGroups } from '#libs/pipeline/store/market/market-tables.js';
import { StoreError } from '#libs/pipeline/store/store-error.js';
import type { Stage, StageStatus } from '#libs/platform/stage.js';
import type { FactsHead } from '#libs/protocol/facts.js';
import { factsTopic, intentsTopic, type TopicSpec } from '#libs/protocol/topics.js';
import { advance } from './batch.js';
import { gatherGroups } from './facts-batches.js';
import { forEachConcurrent } from './for-each-concurrent.js';
import { type Intent, lastIntent, publishIntent } from './intents.js';
import type { RowBatch, RowCollector, SinkTables } from './sink-tables.js';

export interface SinkDeps {
  log: EventLog;
  tables: SinkTables;
  chain: string;
  epoch: number;
  foldVersion: number;
  generation: number;
  steps?: Steps;
  /** Longest between the starts of two batches at the head: readers hold the newest blocks, small inserts are dear. Default 60 s. */
  minIntervalMs?: number;
  maxGroups?: number;
  maxBytes?: number;
  /** Candles are sealed when this much block time became final since the last seal. */
  sealEveryMs?: number;
  /** How long a retracted range stays readable for pinned cursors before its rows are deleted. */
  purgeAfterMs?: number;
  /** Between two purges of few ranges: each rewrites parts of every table. Four times `purgeAfterMs` when absent. */
  purgeEveryMs?: number;
  /** Milliseconds on a clock that never steps back: how long something takes is all that this stage asks it. */
  now?: () => number;
  /** Called after each checkpoint; used by replay and by the status page. */
  onCheckpoint?: (checkpoint: Checkpoint) => void;
}

/** Longest between two inserts of a chain at its head, where nothing else is configured. */
const SINK_INTERVAL_MS = 60_000;

/** So many ranges that may be purged do not wait for the others: readers name each of them in every condition. */
const PURGED_TOGETHER = 16;
/** Checkpoint rows after which those that newer ones replaced are removed. */
const FORGET_EVERY = 4_096;

/** Tables of a batch that are filled at the same time in history; at the head, and where a batch is repeated, one after the other. */
const INSERTS_AT_A_TIME = 2;

/** Facts turned into rows in one go. */
const SLICE_BYTES = 256 << 10;

/** Groups that become visible together, with their rows encoded. `full`: more are waiting behind them. */
interface PreparedBatch {
  groups: FactsHead[];
  rows: RowBatch[];
  fromSeq: number;
  toSeq: number;
  full: boolean;
}

/**
 * Writes facts into the tables of one generation: intent, inserts, checkpoint row, in that order. After a crash the last
 * intent is repeated with the same range, bytes and token before anything new (architecture, Tables; rules 14-19). The
 * checkpoint row is the offset: nothing else says how far the tables are.
 */
export class SinkStage implements Stage {
  readonly name: string;
  private readonly tables: SinkTables;
  private readonly step: Steps;
  private readonly facts: TopicSpec;
  private readonly now: () => number;
  private checkpoint: Checkpoint | null = null;
  private writer: LogWriter | null = null;
  private repeated = 0;
  private rows = 0;
  private seals = 0;
  /** Time of the newest sealed block this process saw: when to seal is an operational matter, what a seal says is not. */
  private sealedBlockTime = Number.NEGATIVE_INFINITY;
  /** When this process first saw a retracted range: purging is an operational matter, not a fact. */
  private readonly retractedSince = new Map<number, number>();
  private purgedAt = Number.NEGATIVE_INFINITY;
  private saved = 0;

  constructor(private readonly deps: SinkDeps) {
    this.name = `sink.${deps.chain}.g${deps.generation}`;
    this.tables = deps.tables;
    this.step = deps.steps ?? noSteps;
    this.facts = factsTopic(deps.chain, deps.epoch, deps.foldVersion);
    this.now = deps.now ?? (() => performance.now());
  }

  status(): StageStatus {
    return {
      stage: 'sink',
      chain: this.deps.chain,
      seq: this.checkpoint?.seq ?? null,
      height: this.checkpoint?.height ?? null,
      detail: {
        generation: this.deps.generation,
        sealedHeight: this.checkpoint?.sealedHeight ?? null,
        rows: this.rows,
        seals: this.seals,
        repeatedIntents: this.repeated,
      },
    };
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.deps.log.ensureTopics([intentsTopic(this.deps.chain), this.facts]);
    await this.step('sink.before-fence');
    this.writer = await this.deps.log.openWriter(this.name);
    await this.step('sink.after-fence');
    try {
      await this.tables.ensure();
      let checkpoint = (await this.tables.readCheckpoint()) ?? this.firstCheckpoint();
      await this.tables.forgetCheckpoints(checkpoint.seq);
      this.refuseOtherLog(checkpoint);
      checkpoint = (await this.tables.takeOver?.(checkpoint)) ?? checkpoint;
      this.checkpoint = checkpoint;
      checkpoint = await this.finishPurge(checkpoint);
      checkpoint = await this.repeatIntent(checkpoint, signal);
      await this.follow(checkpoint, signal);
    } finally {
      await this.writer.close();
      this.writer = null;
    }
  }

  private firstCheckpoint(): Checkpoint {
    const { generation, epoch, foldVersion } = this.deps;
    return emptyCheckpoint({ generation, epoch, foldVersion });
  }

  private refuseOtherLog(checkpoint: Checkpoint): void {
    const { epoch, foldVersion } = this.deps;
    if (checkpoint.epoch === epoch && checkpoint.foldVersion === foldVersion) return;
    throw new LogBrokenError(
      `${this.tables.name} holds epoch ${checkpoint.epoch} fold ${checkpoint.foldVersion}, asked to write epoch ${epoch} fold ${foldVersion}: use a new generation`,
    );
  }

  private async repeatIntent(checkpoint: Checkpoint, signal: AbortSignal): Promise<Checkpoint> {
    const intent = await lastIntent(this.deps.log, this.deps.chain, this.deps.generation);
    if (intent === null || intent.toSeq <= checkpoint.seq) return checkpoint;
    if (
      intent.fromSeq !== checkpoint.seq + 1 ||
      intent.epoch !== checkpoint.epoch ||
      intent.foldVersion !== checkpoint.foldVersion
    ) {
      throw new LogBrokenError(
        `${this.name}: the open intent ${intent.fromSeq}..${intent.toSeq} does not follow checkpoint ${checkpoint.seq}`,
      );
    }
    const batch = await this.readRange(intent.fromSeq, intent.toSeq, signal);
    if (batch === null) return checkpoint;
    this.repeated++;
    return this.write(checkpoint, batch, intent, true);
  }

  /** One batch of exactly these groups; null when the signal aborted. */
  private async readRange(fromSeq: number, toSeq: number, signal: AbortSignal): Promise<PreparedBatch | null> {
    const rows = this.tables.collect();
    const groups: FactsHead[] = [];
    for await (const records of this.deps.log.readGroups(this.facts, { fromSeq, signal })) {
      for (const record of records) {
        groups.push(this.collect(rows, record));
        if (record.seq === toSeq) return signal.aborted ? null : prepared(groups, rows, false);
      }
    }
    if (signal.aborted) return null;
    throw new LogBrokenError(`${this.facts.name} ends before seq ${toSeq} of an open intent`);
  }

  private async follow(start: Checkpoint, signal: AbortSignal): Promise<void> {
    const reading = new AbortController();
    const batches = this.prepared(start.seq + 1, AbortSignal.any([signal, reading.signal]));
    try {
      await this.writeAll(start, batches, signal);
    } finally {
      reading.abort();
    }
  }

  private async writeAll(
    start: Checkpoint,
    batches: AsyncGenerator<PreparedBatch, void>,
    signal: AbortSignal,
  ): Promise<void> {
    let checkpoint = start;
    let ahead: Promise<IteratorResult<PreparedBatch, void>> | null = null;
    for (;;) {
      const next: IteratorResult<PreparedBatch, void> = await (ahead ?? batches.next());
      if (next.done) return;
      const batch: PreparedBatch = next.value;
      const { generation, epoch, foldVersion } = this.deps;
      const { fromSeq, toSeq } = batch;
      const token = `g${generation}.e${epoch}.f${foldVersion}.${fromSeq}-${toSeq}`;
      const intent: Intent = { generation, epoch, foldVersion, fromSeq, toSeq, token };
      await this.step('sink.before-intent');
      await publishIntent(this.writer!, this.deps.chain, intent);
      await this.step('sink.after-intent');
      const writing = this.write(checkpoint, batch, intent, false);
      // In history the next batch is read and encoded while the engine inserts this one.
      ahead = batch.full ? nextTurn().then(() => batches.next()) : null;
      ahead?.catch(() => undefined); // awaited above; a failing write must not leave it unhandled
      checkpoint = await writing;
      checkpoint = await this.sealWhenDue(checkpoint);
      checkpoint = await this.purgeWhenDue(checkpoint);
      if (signal.aborted) return;
    }
  }

  private async *prepared(fromSeq: number, signal: AbortSignal): AsyncGenerator<PreparedBatch, void> {
    const { maxGroups = 4_096, maxBytes = 16 << 20, minIntervalMs = SINK_INTERVAL_MS } = this.deps;
    const reads = this.deps.log.readGroups(this.facts, { fromSeq, signal, maxGroups, maxBytes });
    const pace = { intervalMs: minIntervalMs, maxGroups, maxBytes, now: this.now };
    for await (const { records, full } of gatherGroups(reads, pace, signal)) {
      const rows = this.tables.collect();
      const groups: FactsHead[] = [];
      let sinceTurn = 0;
      for (const record of records) {
        groups.push(this.collect(rows, record));
        sinceTurn += record.value.length;
        if (sinceTurn < SLICE_BYTES) continue;
        // The insert that runs meanwhile needs a turn between two tables.
        sinceTurn = 0;
        await nextTurn();
      }
      yield prepared(groups, rows, full);
    }
  }

  private collect(rows: RowCollector, record: SequencedRecord): FactsHead {
    return decodeRecord(this.facts, record, (encoded) => rows.add(encoded));
  }

  private async write(
    checkpoint: Checkpoint,
    prepared: PreparedBatch,
    intent: Intent,
    repeat: boolean,
  ): Promise<Checkpoint> {
    const { groups } = prepared;
    const times = timesOf(groups);
    const insert = async (batch: RowBatch): Promise<void> => {
      if (repeat && (await this.isWhole(batch, intent, times))) return;
      await this.step(`sink.before-insert.${batch.table}`);
      await this.assertLease();
      await this.tables.insert(batch, intent.token);
      if (repeat && !(await this.isWhole(batch, intent, times))) await this.insertAnew(batch, intent, times);
      this.rows += batch.rows;
    };
    await forEachConcurrent(prepared.rows, repeat || !prepared.full ? 1 : INSERTS_AT_A_TIME, insert);
    const next = advance(checkpoint, groups);
    for (const group of groups) {
      if (group.kind === 'finalize') this.sealedBlockTime = Math.max(this.sealedBlockTime, group.time);
      if (group.kind === 'retract') this.sealedBlockTime = Math.min(this.sealedBlockTime, group.time);
    }
    await this.step('sink.before-checkpoint');
    await this.save(next);
    await this.step('sink.after-checkpoint');
    return next;
  }

  private async isWhole({ table, rows }: RowBatch, { fromSeq, toSeq }: Intent, times: TimesOfGroups): Promise<boolean> {
    return (await this.tables.countRows(table, fromSeq, toSeq, times)) === rows;
  }

  /**
   * The engine notes a token before it has the rows. After a crash in between, the token keeps out what is not there: what is
   * there of the batch goes, and all of it comes in under a token of its own.
   */
  private async insertAnew(batch: RowBatch, intent: Intent, times: TimesOfGroups): Promise<void> {
    await this.assertLease();
    await this.tables.removeRows(batch.table, intent.fromSeq, intent.toSeq, times);
    await this.assertLease();
    await this.tables.insert(batch, `${intent.token}.${randomUUID()}`);
    if (await this.isWhole(batch, intent, times)) return;
    throw new StoreError(
      'store_failed',
      `${this.tables.name}.${batch.table} lacks rows of ${intent.token} after two inserts`,
    );
  }

  private async save(checkpoint: Checkpoint): Promise<void> {
    await this.assertLease();
    await this.tables.writeCheckpoint(checkpoint);
    this.checkpoint = checkpoint;
    this.deps.onCheckpoint?.(checkpoint);
    if (++this.saved % FORGET_EVERY === 0) await this.tables.forgetCheckpoints(checkpoint.seq);
  }

  private async assertLease(): Promise<void> {
    if (!(await this.writer!.holdsLease())) throw new FencedError(this.name);
  }

  /**
   * Candles of buckets that closed at or before the sealed block's time. Versions that a killed seal left behind carry a
   * seal seq that no checkpoint names; the next seal covers the same range again and supersedes them.
   */
  private async sealWhenDue(checkpoint: Checkpoint): Promise<Checkpoint> {
    const toTime = this.sealedBlockTime;
    if (toTime - checkpoint.sealedTime < (this.deps.sealEveryMs ?? 60_000)) return checkpoint;
    await this.step('sink.before-seal');
    await this.assertLease();
    await this.tables.seal(checkpoint, toTime);
    await this.step('sink.after-seal');
    const sealed = { ...checkpoint, step: checkpoint.step + 1, sealSeq: checkpoint.seq, sealedTime: toTime };
    await this.save(sealed);
    this.seals++;
    return sealed;
  }

  private async purgeWhenDue(checkpoint: Checkpoint): Promise<Checkpoint> {
    const now = this.now();
    for (const { retractSeq } of checkpoint.retracted) {
      if (!this.retractedSince.has(retractSeq)) this.retractedSince.set(retractSeq, now);
    }
    const age = this.deps.purgeAfterMs ?? 900_000;
    const due = checkpoint.retracted.filter(({ retractSeq }) => now - this.retractedSince.get(retractSeq)! >= age);
    if (due.length === 0) return checkpoint;
    if (due.length < PURGED_TOGETHER && now - this.purgedAt < (this.deps.purgeEveryMs ?? 4 * age)) return checkpoint;
    this.purgedAt = now;
    const purgedSeq = Math.max(checkpoint.purgedSeq, ...due.map(({ retractSeq }) => retractSeq));
    await this.step('sink.before-purging');
    const purging: Checkpoint = { ...checkpoint, step: checkpoint.step + 1, purgedSeq };
    await this.save(purging);
    return this.finishPurge(purging);
  }

  /** Readers refuse views older than `purgedSeq` from the row before on; only then rows go (rule 19). */
  private async finishPurge(purging: Checkpoint): Promise<Checkpoint> {
    const gone = purging.retracted.filter(({ retractSeq }) => retractSeq <= purging.purgedSeq);
    if (gone.length === 0) return purging;
    await this.step('sink.before-purge');
    await this.assertLease();
    await this.tables.purge(gone);
    await this.step('sink.after-purge');
    const retracted = purging.retracted.filter(({ retractSeq }) => retractSeq > purging.purgedSeq);
    const purged: Checkpoint = { ...purging, step: purging.step + 1, retracted };
    await this.save(purged);
    for (const { retractSeq } of gone) this.retractedSince.delete(retractSeq);
    return purged;
  }
}

function prepared(groups: FactsHead[], rows: RowCollector, full: boolean): PreparedBatch {
  return { groups, rows: rows.batches(), fromSeq: groups[0]!.seq, toSeq: groups.at(-1)!.seq, full };
}

function timesOf(groups: readonly FactsHead[]): TimesOfGroups {
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { time } of groups) [from, to] = [Math.min(from, time), Math.max(to, time)];
  return { from, to };
}
