import { FencedError, LogBrokenError } from '#libs/core/errors.js';
import { decodeChunk } from '#libs/pipeline/event-log/kafka/kafka-chunk.js';
import type {
  Append,
  EventLog,
  KeyedRecord,
  LogWriter,
  ReadGroupsOptions,
  SequencedRecord,
  TopicState,
} from '#libs/pipeline/event-log/log.js';
import type { TopicSpec } from '#libs/protocol/topics.js';
import { type ChunkJoiner, chunksOf, joinBySeq } from './chunk-joiners.js';

/** What a schedule may do to one append: answer, lose the answer after or before it was applied, or in its middle. */
export type AppendFate = 'ok' | 'applied-then-lost' | 'lost' | 'torn';

/** Protections that a schedule may switch off to see that they are needed. */
export interface LogProtections {
  /** openWriter fences the current holder of the id (rule 1). */
  fenceOnOpen: boolean;
  /** An append checks the token of its writer in the same step (rules 1 and 5). */
  checkToken: boolean;
  /** A writer that was fenced knows it when asked (rule 15). */
  honestLease: boolean;
  /** An append whose seq is not next is refused (rule 5). */
  compareAndAppend: boolean;
}

export const everyProtection: LogProtections = {
  fenceOnOpen: true,
  checkToken: true,
  honestLease: true,
  compareAndAppend: true,
};

interface TopicData {
  /** What a reader makes of the topic: the groups that were appended, or that its chunks join to. */
  groups: SequencedRecord[];
  joiner: ChunkJoiner;
  keyed: KeyedRecord[];
  /** Groups below this seq were dropped: they cannot be read any more. */
  firstKept: number;
}

/** The durable half of an event log in memory: it outlives the processes that are killed around it. */
export class MemoryLog {
  readonly topics = new Map<string, TopicData>();
  readonly tokens = new Map<string, number>();
  private readonly waiting = new Set<() => void>();
  fate: (writerId: string) => AppendFate = () => 'ok';
  /** How many of so many chunks of a torn append are there. */
  tear: (chunks: number) => number = () => 0;

  /** `join`: groups are kept in chunks, without transactions around them, and joined so. */
  constructor(
    readonly protections: LogProtections = everyProtection,
    private readonly join: (() => ChunkJoiner) | null = null,
  ) {}

  topic(name: string): TopicData {
    let data = this.topics.get(name);
    if (data === undefined) {
      data = { groups: [], keyed: [], firstKept: 0, joiner: (this.join ?? joinBySeq)() };
      this.topics.set(name, data);
    }
    return data;
  }

  /** Without transactions an append that breaks off leaves its first chunks behind. */
  applyTorn(records: Append[], token: number): void {
    const chunks = records.flatMap((record) => this.chunksOf(record, token));
    for (const { data, chunk } of chunks.slice(0, this.tear(chunks.length))) joinInto(data, chunk);
    this.wakeAll();
  }

  apply(records: Append[], token = 0): void {
    for (const record of records) {
      const data = this.topic(record.topic.name);
      if ('seq' in record) {
        if (this.join === null) data.groups.push({ seq: record.seq, value: record.value });
        else for (const { chunk } of this.chunksOf(record, token)) joinInto(data, chunk);
      } else {
        const offset = BigInt(data.keyed.length);
        data.keyed.push({ partition: 0, offset, key: record.key, value: record.value, timestamp: 0 });
      }
    }
    this.wakeAll();
  }

  private chunksOf(record: Append, token: number): { data: TopicData; chunk: Buffer }[] {
    if (!('seq' in record)) return [];
    const bytes = Buffer.alloc(8);
    bytes.writeUInt32BE(token);
    return chunksOf(record, bytes).map((chunk) => ({ data: this.topic(record.topic.name), chunk }));
  }

  private wakeAll(): void {
    for (const wake of [...this.waiting]) wake();
  }

  changed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.waiting.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.waiting.add(done);
      signal.addEventListener('abort', done);
    });
  }

  /** The log as one process sees it; `alive` says whether that process still runs. */
  connect(): EventLog {
    return new MemoryConnection(this);
  }
}

function joinInto(data: TopicData, bytes: Buffer): void {
  const group = data.joiner.push(decodeChunk(null, bytes)!);
  // As every reader does: a repeat of what was seen is ignored.
  if (group !== null && group.seq > (data.groups.at(-1)?.seq ?? -1)) data.groups.push(group);
}

class MemoryConnection implements EventLog {
  readonly kind = 'embedded' as const;

  constructor(private readonly log: MemoryLog) {}

  async ensureTopics(topics: TopicSpec[]): Promise<void> {
    for (const topic of topics) this.log.topic(topic.name);
  }

  async openWriter(writerId: string): Promise<LogWriter> {
    const held = this.log.tokens.get(writerId) ?? 0;
    const token = this.log.protections.fenceOnOpen ? held + 1 : Math.max(held, 1);
    this.log.tokens.set(writerId, token);
    return new MemoryWriter(this.log, writerId, token);
  }

  async lastGroup(topic: TopicSpec): Promise<SequencedRecord | null> {
    return this.log.topic(topic.name).groups.at(-1) ?? null;
  }

  async firstGroup(topic: TopicSpec): Promise<SequencedRecord | null> {
    const { groups, firstKept } = this.log.topic(topic.name);
    return groups.find(({ seq }) => seq >= firstKept) ?? null;
  }

  async truncate(topic: TopicSpec, firstKeptSeq: number): Promise<void> {
    const data = this.log.topic(topic.name);
    const last = data.groups.at(-1);
    if (last !== undefined) data.firstKept = Math.max(data.firstKept, Math.min(firstKeptSeq, last.seq));
  }

  async dropTopics(topics: TopicSpec[]): Promise<void> {
    for (const { name } of topics) this.log.topics.delete(name);
  }

  async *readGroups(topic: TopicSpec, options: ReadGroupsOptions): AsyncIterable<SequencedRecord[]> {
    const data = this.log.topic(topic.name);
    const { groups } = data;
    const end = options.untilEnd ? groups.length : Number.POSITIVE_INFINITY;
    let next = options.fromSeq;
    let index = 0;
    while (!options.signal.aborted) {
      if (next < data.firstKept && index < groups.length) {
        throw new LogBrokenError(`${topic.name}: group ${next} is missing, the first one kept is ${data.firstKept}`);
      }
      const batch: SequencedRecord[] = [];
      while (index < groups.length && index < end && batch.length < (options.maxGroups ?? 4)) {
        const record = groups[index++]!;
        if (record.seq < next) continue;
        if (record.seq > next) throw new LogBrokenError(`${topic.name}: gap before ${record.seq}, expected ${next}`);
        batch.push(record);
        next++;
      }
      if (batch.length > 0) yield batch;
      else if (index >= end) return;
      else await this.log.changed(options.signal);
    }
  }

  async readCompacted(topic: TopicSpec): Promise<Map<string, Uint8Array>> {
    const newest = new Map<string, Uint8Array>();
    for (const { key, value } of this.log.topic(topic.name).keyed) {
      if (value === null) newest.delete(key);
      else newest.set(key, value);
    }
    return newest;
  }

  async readKeyed(topic: TopicSpec, _partition: number, fromOffset: bigint, max: number): Promise<KeyedRecord[]> {
    const from = Number(fromOffset);
    return this.log.topic(topic.name).keyed.slice(from, from + max);
  }

  async describe(): Promise<TopicState[]> {
    return [...this.log.topics].map(([name, { groups, keyed }]) => {
      const first = groups[0]?.seq ?? null;
      const last = groups.at(-1)?.seq ?? null;
      const records = groups.length + keyed.length;
      return { name, partitions: [{ partition: 0, records, bytes: null, firstSeq: first, lastSeq: last }] };
    });
  }

  async close(): Promise<void> {}
}

class MemoryWriter implements LogWriter {
  private dead = false;

  constructor(
    private readonly log: MemoryLog,
    readonly writerId: string,
    private readonly token: number,
  ) {}

  async append(records: Append[]): Promise<void> {
    if (this.dead) throw new Error(`${this.writerId}: an earlier append has an unknown outcome`);
    const { protections, tokens } = this.log;
    if (protections.checkToken && tokens.get(this.writerId) !== this.token) throw new FencedError(this.writerId);
    if (protections.compareAndAppend) this.compare(records);
    const fate = this.log.fate(this.writerId);
    if (fate === 'torn') this.log.applyTorn(records, this.token);
    else if (fate !== 'lost') this.log.apply(records, this.token);
    if (fate === 'ok') return;
    this.dead = true;
    throw new Error(`${this.writerId}: the answer was lost`);
  }

  async holdsLease(): Promise<boolean> {
    return !this.log.protections.honestLease || (!this.dead && this.log.tokens.get(this.writerId) === this.token);
  }

  async close(): Promise<void> {}

  private compare(records: Append[]): void {
    const next = new Map<string, number>();
    for (const record of records) {
      if (!('seq' in record)) continue;
      const name = record.topic.name;
      const expected = next.get(name) ?? (this.log.topic(name).groups.at(-1)?.seq ?? -1) + 1;
      if (record.seq !== expected) throw new LogBrokenError(`${name}: next seq is ${expected}, got ${record.seq}`);
      next.set(name, expected + 1);
    }
  }
}
