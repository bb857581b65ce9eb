import { resolve } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database, Key } from 'lmdb';
import type { TopicSpec } from '#libs/protocol/topics.js';
import { checkTruncation, closedLog } from '../append-rules.js';
import { GroupCursor } from '../group-cursor.js';
import type { EventLog, KeyedRecord, LogWriter, ReadGroupsOptions, SequencedRecord, TopicState } from '../log.js';
import { EmbeddedEnv, edgeKey, type StoredTopic, usedBytes } from './embedded-env.js';
import { decodeRecord, purgeTombstones } from './embedded-keyed.js';
import { openEmbeddedWriter } from './embedded-writer.js';
import { PollPace } from './poll-pace.js';
import { WakeUp } from './wake-up.js';

export interface EmbeddedLogOptions {
  dir: string;
  /** Size of lmdb's map to start with; it grows on demand. */
  initialMapBytes?: number;
  /** Wall clock of keyed records and their retention. */
  now?: () => number;
}

/** Groups dropped in one transaction, from the oldest on: a kill in between leaves a topic without gaps. */
const TRUNCATE_SLICE = 10_000;
const DEFAULT_GROUPS = 1_000;
const DEFAULT_BYTES = 8 * 1024 * 1024;

/** The event log on lmdb: durable, in process, one directory; several processes may share it. */
export async function openEmbeddedLog(options: EmbeddedLogOptions): Promise<EventLog> {
  return new EmbeddedLog(
    new EmbeddedEnv(options.dir, options.initialMapBytes),
    new WakeUp(`tidepool-log:${resolve(options.dir)}`),
    options.now ?? Date.now,
  );
}

class EmbeddedLog implements EventLog {
  readonly kind = 'embedded';

  constructor(
    private readonly env: EmbeddedEnv,
    private readonly appended: WakeUp,
    private readonly now: () => number,
  ) {}

  async ensureTopics(topics: TopicSpec[]): Promise<void> {
    await this.env.ensure(topics);
    const compacted = topics.filter((topic) => topic.kind === 'compacted').map((topic) => this.env.topic(topic.name));
    if (compacted.length === 0) return;
    await this.env.transact(() => {
      for (const topic of compacted) purgeTombstones(topic, this.now());
    });
  }

  openWriter(writerId: string): Promise<LogWriter> {
    return openEmbeddedWriter(this.env, writerId, this.now, (topics) => this.appended.notify(topics));
  }

  async lastGroup(topic: TopicSpec): Promise<SequencedRecord | null> {
    return this.edgeGroup(topic, 'last');
  }

  async firstGroup(topic: TopicSpec): Promise<SequencedRecord | null> {
    return this.edgeGroup(topic, 'first');
  }

  async truncate(topic: TopicSpec, firstKeptSeq: number): Promise<void> {
    const stored = this.env.topic(topic.name);
    checkTruncation(stored.spec, firstKeptSeq);
    const db = stored.partitions[0]!;
    for (let dropped = TRUNCATE_SLICE; dropped === TRUNCATE_SLICE; ) {
      dropped = await this.env.transact(() => {
        const end = Math.min(firstKeptSeq, edgeKey(db, 'last') ?? 0);
        const seqs = [...db.getKeys({ end, limit: TRUNCATE_SLICE })];
        for (const seq of seqs) db.removeSync(seq);
        return seqs.length;
      });
    }
  }

  async dropTopics(topics: TopicSpec[]): Promise<void> {
    for (const { name } of topics) {
      if (!this.env.topicNames().includes(name)) continue;
      const { partitions, indexes } = this.env.topic(name);
      // From the end on and the name last: a kill in between leaves a topic without gaps.
      for (const db of [...indexes, ...partitions]) {
        for (let dropped = TRUNCATE_SLICE; dropped === TRUNCATE_SLICE; ) {
          dropped = await this.env.transact(() => removeLast(db as Database<unknown, Key>, TRUNCATE_SLICE));
        }
      }
      await this.env.forget(name);
    }
  }

  async *readGroups(topic: TopicSpec, options: ReadGroupsOptions): AsyncGenerator<SequencedRecord[]> {
    const { signal } = options;
    const db = this.env.topic(topic.name).partitions[0]!;
    const cursor = new GroupCursor(topic.name, options.fromSeq);
    if (!options.untilEnd) this.appended.listen();
    this.env.refresh();
    const end = options.untilEnd ? (edgeKey(db, 'last') ?? -1) : Number.POSITIVE_INFINITY;
    const maxGroups = options.maxGroups ?? DEFAULT_GROUPS;
    const maxBytes = options.maxBytes ?? DEFAULT_BYTES;
    const pace = new PollPace();
    let before = this.appended.version(topic.name);
    while (!signal.aborted && cursor.next <= end) {
      const seen = this.appended.version(topic.name);
      this.env.refresh();
      const batch: SequencedRecord[] = [];
      let bytes = 0;
      for (const { key, value } of db.getRange({ start: cursor.next, limit: maxGroups })) {
        if (key > end || (batch.length > 0 && bytes + value.length > maxBytes)) break;
        bytes += value.length;
        if (cursor.accept(key)) batch.push({ seq: key, value });
      }
      pace.looked(batch.length > 0, seen !== before);
      before = seen;
      if (batch.length > 0) {
        yield batch;
        await nextTurn();
      } else await this.appended.wait(topic.name, seen, pace.ms, signal);
      if (this.env.closed) throw closedLog();
    }
  }

  async readCompacted(topic: TopicSpec): Promise<Map<string, Uint8Array>> {
    const stored = this.env.topic(topic.name);
    this.env.refresh();
    const newest = new Map<string, Uint8Array>();
    for (const record of allRecords(stored)) {
      if (record.value === null) newest.delete(record.key);
      else newest.set(record.key, record.value);
    }
    return newest;
  }

  async readKeyed(topic: TopicSpec, partition: number, fromOffset: bigint, max: number): Promise<KeyedRecord[]> {
    const db = this.env.topic(topic.name).partitions[partition];
    if (!db) throw new RangeError(`${topic.name} has no partition ${partition}`);
    this.env.refresh();
    const records: KeyedRecord[] = [];
    for (const { key, value } of db.getRange({ start: Number(fromOffset), limit: max })) {
      records.push(decodeRecord(value, partition, key));
    }
    return records;
  }

  async describe(): Promise<TopicState[]> {
    return this.env.topicNames().map((name) => {
      const topic = this.env.topic(name);
      const sequenced = topic.spec.kind === 'sequenced';
      return {
        name,
        partitions: topic.partitions.map((db, partition) => ({
          partition,
          records: (db.getStats() as { entryCount: number }).entryCount,
          bytes: usedBytes(db),
          firstSeq: sequenced ? edgeKey(db, 'first') : null,
          lastSeq: sequenced ? edgeKey(db, 'last') : null,
        })),
      };
    });
  }

  async close(): Promise<void> {
    const closing = this.env.close();
    this.appended.close();
    await closing;
  }

  private edgeGroup(topic: TopicSpec, edge: 'first' | 'last'): SequencedRecord | null {
    const db = this.env.topic(topic.name).partitions[0]!;
    this.env.refresh();
    for (const { key, value } of db.getRange({ reverse: edge === 'last', limit: 1 })) return { seq: key, value };
    return null;
  }
}

function removeLast(db: Database<unknown, Key>, limit: number): number {
  const keys = [...db.getKeys({ reverse: true, limit })];
  for (const key of keys) db.removeSync(key);
  return keys.length;
}

function* allRecords(topic: StoredTopic): Generator<KeyedRecord> {
  for (const [partition, db] of topic.partitions.entries()) {
    for (const { key, value } of db.getRange({})) yield decodeRecord(value, partition, key);
  }
}
