import type { LogBrokenError } from '#libs/core/errors.js';
import { GroupCursor } from '../group-cursor.js';
import type { ReadGroupsOptions, SequencedRecord } from '../log.js';
import { type Chunk, decodeChunk, GroupAssembler } from './kafka-chunk.js';
import { type Fetched, type KafkaPartitionReader, type KafkaRecord, OffsetOutOfRangeError } from './kafka-partition.js';

/**
 * Groups of a sequenced topic on Kafka. Only `seq` orders; offsets are hints that are found by search, used and thrown
 * away: when one is wrong the reader falls back to a lower one, and only a gap that remains when read from the first
 * kept offset is an error.
 */
const PROBE_BYTES = 64 * 1024;
const FETCH_BYTES = 4 * 1024 * 1024;
/** A search ends when the range is this short; the rest is read. */
const SEARCH_END = 256;
const FIRST_WINDOW = 8;
const WAIT_MS = 500;
const DEFAULT_GROUPS = 1_000;
const DEFAULT_BYTES = 8 * 1024 * 1024;

/** Last complete group, found backwards: windows below the end, doubled until one holds it. */
export async function lastGroup(reader: KafkaPartitionReader, topic: string): Promise<SequencedRecord | null> {
  const end = await reader.decidedEnd(topic, 0);
  const start = await reader.start(topic, 0);
  const chunks: Chunk[] = [];
  let from = end;
  for (let window = FIRST_WINDOW; from > start; window *= 2) {
    const until = from;
    from = Math.max(start, end - window);
    const before: Chunk[] = [];
    for await (const record of recordsBetween(reader, topic, from, until)) addChunk(before, record);
    chunks.unshift(...before);
    const last = lastComplete(chunks);
    if (last) return last;
  }
  return null;
}

export async function firstGroup(reader: KafkaPartitionReader, topic: string): Promise<SequencedRecord | null> {
  const end = await reader.decidedEnd(topic, 0);
  const start = await reader.start(topic, 0);
  const assembler = new GroupAssembler();
  for await (const record of recordsBetween(reader, topic, start, end)) {
    const chunk = decodeChunk(record.key, record.value);
    const group = chunk && assembler.push(chunk);
    if (group) return group;
  }
  return null;
}

/** All committed records in [from, until). */
export async function* recordsBetween(
  reader: KafkaPartitionReader,
  topic: string,
  from: number,
  until: number,
  partition = 0,
): AsyncGenerator<KafkaRecord> {
  let offset = from;
  while (offset < until) {
    const { records, next } = await reader.fetch(topic, partition, offset, {
      maxBytes: FETCH_BYTES,
      maxWaitMs: WAIT_MS,
    });
    for (const record of records) {
      if (record.offset >= until) return;
      yield record;
    }
    offset = next;
  }
}

/** Groups from `fromSeq` on; `reader` is this call's own, since it waits in its fetches. */
export async function* readGroups(
  reader: KafkaPartitionReader,
  topic: string,
  options: ReadGroupsOptions,
): AsyncGenerator<SequencedRecord[]> {
  const { signal } = options;
  const end = options.untilEnd ? await reader.decidedEnd(topic, 0) : Number.POSITIVE_INFINITY;
  const cursor = new GroupCursor(topic, options.fromSeq);
  const assembler = new GroupAssembler();
  const request = { maxBytes: FETCH_BYTES, maxWaitMs: WAIT_MS, signal };
  const fetchFrom = (offset: number): Promise<Fetched> => quiet(reader.fetch(topic, 0, offset, request));
  let hinted = true;
  let offset = await findStart(reader, topic, options.fromSeq);
  let ahead = fetchFrom(offset);
  while (!signal.aborted && offset < end) {
    let fetched: Fetched;
    try {
      fetched = await abortable(ahead, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof OffsetOutOfRangeError)) throw error;
      hinted = true;
      assembler.reset();
      offset = await findStart(reader, topic, cursor.next);
      ahead = fetchFrom(offset);
      continue;
    }
    const { groups, broken } = assemble(fetched.records, assembler, cursor, end);
    if (broken && hinted && groups.length === 0) {
      hinted = false;
      assembler.reset();
      offset = await reader.start(topic, 0);
      ahead = fetchFrom(offset);
      continue;
    }
    hinted &&= groups.length === 0;
    offset = fetched.next;
    if (!broken && offset < end) ahead = fetchFrom(offset);
    yield* inBatches(groups, options);
    if (broken) throw broken;
  }
}

/**
 * An offset at or below the first chunk of `seq`, by binary search. Invariant: reading from `low` meets a first chunk
 * whose seq is at most `seq` (or starts at the first kept record); from `high` on every first chunk is above it.
 */
export async function findStart(reader: KafkaPartitionReader, topic: string, seq: number): Promise<number> {
  let low = await reader.start(topic, 0);
  if (seq <= 0) return low;
  let high = await reader.decidedEnd(topic, 0);
  while (high - low > SEARCH_END) {
    const middle = Math.floor((low + high) / 2);
    const found = await firstChunkFrom(reader, topic, middle, high);
    if (found === null || found.seq > seq) high = middle;
    else if (found.seq === seq) return found.offset;
    else low = found.offset;
  }
  return low;
}

async function firstChunkFrom(
  reader: KafkaPartitionReader,
  topic: string,
  from: number,
  until: number,
): Promise<{ seq: number; offset: number } | null> {
  let offset = from;
  while (offset < until) {
    const { records, next } = await reader.fetch(topic, 0, offset, { maxBytes: PROBE_BYTES, maxWaitMs: WAIT_MS });
    for (const record of records) {
      if (record.offset >= until) return null;
      const chunk = decodeChunk(record.key, record.value);
      if (chunk?.index === 0) return { seq: chunk.seq, offset: record.offset };
    }
    offset = next;
  }
  return null;
}

/** The groups that these records complete, up to the first gap; the cursor has taken exactly the groups returned. */
function assemble(
  records: KafkaRecord[],
  assembler: GroupAssembler,
  cursor: GroupCursor,
  end: number,
): { groups: SequencedRecord[]; broken: LogBrokenError | null } {
  const groups: SequencedRecord[] = [];
  for (const record of records) {
    if (record.offset >= end) break;
    const chunk = decodeChunk(record.key, record.value);
    const group = chunk && assembler.push(chunk);
    if (!group) continue;
    try {
      if (cursor.accept(group.seq)) groups.push(group);
    } catch (error) {
      return { groups, broken: error as LogBrokenError };
    }
  }
  return { groups, broken: null };
}

function* inBatches(groups: SequencedRecord[], options: ReadGroupsOptions): Generator<SequencedRecord[]> {
  const maxGroups = options.maxGroups ?? DEFAULT_GROUPS;
  const maxBytes = options.maxBytes ?? DEFAULT_BYTES;
  let batch: SequencedRecord[] = [];
  let bytes = 0;
  for (const group of groups) {
    if (batch.length > 0 && (batch.length >= maxGroups || bytes + group.value.length > maxBytes)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(group);
    bytes += group.value.length;
  }
  if (batch.length > 0) yield batch;
}

function addChunk(chunks: Chunk[], record: KafkaRecord): void {
  const chunk = decodeChunk(record.key, record.value);
  if (chunk) chunks.push(chunk);
}

function lastComplete(chunks: Chunk[]): SequencedRecord | null {
  const assembler = new GroupAssembler();
  let last: SequencedRecord | null = null;
  for (const chunk of chunks) last = assembler.push(chunk) ?? last;
  return last;
}

/** A prefetch may fail after its reader has stopped; such a rejection is not unhandled. */
function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

/** Rejects as soon as the signal aborts; the fetch itself ends when the reader's connection is closed. */
function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
    if (signal.aborted) onAbort();
  });
}
