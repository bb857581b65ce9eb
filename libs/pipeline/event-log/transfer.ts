import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { TidepoolError } from '#libs/core/errors.js';
import type { TopicSpec } from '#libs/protocol/topics.js';
import { keyedPages } from './keyed-pages.js';
import type { Append, EventLog, LogWriter } from './log.js';
import {
  BLOCK_BYTES,
  BlockWriter,
  badExport,
  decodeRecords,
  type ExportedRecord,
  encodeRecord,
  readBlocks,
} from './transfer-format.js';

/**
 * Topics as files: gzip around the format of transfer-format.ts. An export of groups holds the groups that the topic had when
 * the export began; an export of keyed records continues until it has caught up. An import appends through a writer to an
 * empty topic, so all rules of the log hold for it. When it fails half-way, the topic keeps what was appended and must be
 * deleted before the next try. Keyed records get new offsets and, because the log stamps each append, new timestamps.
 */
export interface TransferOptions {
  onProgress?: (progress: TransferProgress) => void;
  signal?: AbortSignal;
}

export interface TransferProgress {
  records: number;
  /** Of the values, before compression. */
  bytes: number;
}

export interface ImportOptions extends TransferOptions {
  /**
   * Writer to take over; the importer's own by default. Give the stage's own id to make sure that the stage does not
   * write meanwhile.
   */
  writerId?: string;
}

const APPEND_BYTES = 4 * 1024 * 1024;
const APPEND_RECORDS = 2_000;
const READ_RECORDS = 1_000;

export async function exportTopic(
  log: EventLog,
  topic: TopicSpec,
  target: Writable,
  options: TransferOptions = {},
): Promise<TransferProgress> {
  const progress = { records: 0, bytes: 0 };
  const blocks = exportBlocks(log, topic, progress, options);
  await pipeline(Readable.from(blocks, { objectMode: false }), createGzip(), target, { signal: options.signal });
  return progress;
}

async function* exportBlocks(
  log: EventLog,
  topic: TopicSpec,
  progress: TransferProgress,
  options: TransferOptions,
): AsyncGenerator<Buffer> {
  const writer = new BlockWriter();
  yield Buffer.concat(writer.start(topic));
  let parts: Buffer[] = [];
  let held = 0;
  for await (const records of topic.kind === 'sequenced' ? groupsOf(log, topic, options) : keyedOf(log, topic)) {
    for (const record of records) {
      const encoded = encodeRecord(record);
      parts.push(...encoded);
      for (const part of encoded) held += part.length;
      progress.records++;
      progress.bytes += record.value?.length ?? 0;
      if (held < BLOCK_BYTES) continue;
      yield Buffer.concat(writer.block(parts));
      parts = [];
      held = 0;
      options.onProgress?.({ ...progress });
    }
  }
  if (held > 0) yield Buffer.concat(writer.block(parts));
  yield Buffer.concat(writer.end(progress.records));
  options.onProgress?.({ ...progress });
}

async function* groupsOf(log: EventLog, topic: TopicSpec, options: TransferOptions): AsyncGenerator<ExportedRecord[]> {
  const first = await log.firstGroup(topic);
  if (!first) return;
  const signal = options.signal ?? new AbortController().signal;
  yield* log.readGroups(topic, { fromSeq: first.seq, untilEnd: true, signal });
  signal.throwIfAborted();
}

async function* keyedOf(log: EventLog, topic: TopicSpec): AsyncGenerator<ExportedRecord[]> {
  for (let partition = 0; partition < topic.partitions; partition++) {
    yield* keyedPages(log, topic, { partition, records: READ_RECORDS });
  }
}

export async function importTopic(
  log: EventLog,
  topic: TopicSpec,
  source: Readable,
  options: ImportOptions = {},
): Promise<TransferProgress> {
  await log.ensureTopics([topic]);
  const writer = await log.openWriter(options.writerId ?? `import.${topic.name}`);
  const progress = { records: 0, bytes: 0 };
  try {
    if (!(await isEmpty(log, topic))) {
      throw new TidepoolError('topic_not_empty', `${topic.name} has records: an import needs an empty topic`);
    }
    await pipeline(
      source,
      createGunzip(),
      (bytes: AsyncIterable<Buffer>) => appendAll(bytes, topic, writer, progress, options),
      { signal: options.signal },
    );
  } catch (error) {
    // gzip's error for a file that is cut or is not gzip.
    if (/^Z_|ERR_ZLIB/.test(String((error as NodeJS.ErrnoException).code))) throw badExport((error as Error).message);
    throw error;
  } finally {
    await writer.close();
  }
  return progress;
}

async function isEmpty(log: EventLog, topic: TopicSpec): Promise<boolean> {
  if (topic.kind === 'sequenced') return (await log.lastGroup(topic)) === null;
  for (let partition = 0; partition < topic.partitions; partition++) {
    if ((await log.readKeyed(topic, partition, 0n, 1)).length > 0) return false;
  }
  return true;
}

async function appendAll(
  bytes: AsyncIterable<Buffer>,
  topic: TopicSpec,
  writer: LogWriter,
  progress: TransferProgress,
  options: TransferOptions,
): Promise<void> {
  let seen = 0;
  let specSeen = false;
  let batch: Append[] = [];
  let held = 0;
  const flush = async (): Promise<void> => {
    await writer.append(batch);
    progress.records += batch.length;
    progress.bytes += held;
    batch = [];
    held = 0;
    options.onProgress?.({ ...progress });
  };
  for await (const payload of readBlocks(bytes, () => seen)) {
    if (!specSeen) {
      checkSpec(payload, topic);
      specSeen = true;
      continue;
    }
    for (const record of decodeRecords(payload)) {
      seen++;
      batch.push(asAppend(record, topic));
      held += record.value?.length ?? 0;
      if (held >= APPEND_BYTES || batch.length >= APPEND_RECORDS) await flush();
    }
  }
  if (!specSeen) throw badExport('it names no topic');
  await flush();
}

function checkSpec(payload: Buffer, topic: TopicSpec): void {
  let spec: Partial<TopicSpec>;
  try {
    spec = JSON.parse(payload.toString()) as Partial<TopicSpec>;
  } catch {
    throw badExport('its topic cannot be read');
  }
  if (spec.kind !== topic.kind) throw badExport(`it holds a ${spec.kind} topic, ${topic.name} is ${topic.kind}`);
}

function asAppend(record: ExportedRecord, topic: TopicSpec): Append {
  if ('seq' in record !== (topic.kind === 'sequenced')) throw badExport('a record does not fit the kind of its topic');
  return { topic, ...record } as Append;
}
