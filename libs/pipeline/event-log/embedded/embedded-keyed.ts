import type { KeyedAppend } from '../append-rules.js';
import type { KeyedRecord } from '../log.js';
import { partitionOf } from '../partition.js';
import { edgeKey, type RecordDb, type StoredTopic } from './embedded-env.js';

/**
 * Keyed and compacted topics in lmdb. A record is stored under its offset. Offsets only grow, because the newest record of a
 * partition is never deleted. Compaction is immediate: an append deletes the record it supersedes; its tombstones stay for a day,
 * for readers that follow the topic, and are purged when the topic is ensured at a start. The appends do the work of
 * retention: each one deletes a bounded number of expired records from the old end.
 */
export const TOMBSTONE_KEPT_MS = 86_400_000;
const EXPIRED_PER_APPEND = 1024;
const HEADER = 11;
const TOMBSTONE = 1;

/** [flags u8][timestamp f64][key length u16][key][value] */
function encodeRecord(key: Buffer, value: Uint8Array | null, timestamp: number): Buffer {
  const bytes = Buffer.allocUnsafe(HEADER + key.length + (value?.length ?? 0));
  bytes.writeUInt8(value === null ? TOMBSTONE : 0, 0);
  bytes.writeDoubleLE(timestamp, 1);
  bytes.writeUInt16LE(key.length, 9);
  key.copy(bytes, HEADER);
  if (value) bytes.set(value, HEADER + key.length);
  return bytes;
}

export function decodeRecord(bytes: Buffer, partition: number, offset: number): KeyedRecord {
  const keyEnd = HEADER + bytes.readUInt16LE(9);
  return {
    partition,
    offset: BigInt(offset),
    key: bytes.toString('utf8', HEADER, keyEnd),
    value: bytes.readUInt8(0) & TOMBSTONE ? null : bytes.subarray(keyEnd),
    timestamp: bytes.readDoubleLE(1),
  };
}

/** Appends inside the write transaction that is open. */
export function putKeyed(topic: StoredTopic, records: KeyedAppend[], now: number): void {
  const next = new Map<number, number>();
  for (const { key, value } of records) {
    const partition = partitionOf(key, topic.spec.partitions);
    const db = topic.partitions[partition]!;
    const offset = next.get(partition) ?? (edgeKey(db, 'last') ?? -1) + 1;
    next.set(partition, offset + 1);
    db.putSync(offset, encodeRecord(key, value, now), { append: true });
    const index = topic.indexes[partition];
    if (!index) continue;
    const superseded = index.get(key);
    if (superseded !== undefined) db.removeSync(superseded);
    index.putSync(key, offset);
  }
  const { kind, retentionMs } = topic.spec;
  if (kind !== 'keyed' || retentionMs < 0) return;
  for (const [partition, end] of next) dropExpired(topic.partitions[partition]!, end - 1, now - retentionMs);
}

function dropExpired(db: RecordDb, newest: number, before: number): void {
  const expired: number[] = [];
  for (const { key, value } of db.getRange({ end: newest, limit: EXPIRED_PER_APPEND })) {
    if (value.readDoubleLE(1) >= before) break;
    expired.push(key);
  }
  for (const offset of expired) db.removeSync(offset);
}

/** Deletes the tombstones of a compacted topic that are older than a day, inside the write transaction that is open. */
export function purgeTombstones(topic: StoredTopic, now: number): void {
  topic.partitions.forEach((db, partition) => {
    const newest = edgeKey(db, 'last') ?? 0;
    const purged: { offset: number; key: Buffer }[] = [];
    for (const { key: offset, value } of db.getRange({ end: newest })) {
      if (!(value.readUInt8(0) & TOMBSTONE) || value.readDoubleLE(1) >= now - TOMBSTONE_KEPT_MS) continue;
      purged.push({ offset, key: Buffer.from(value.subarray(HEADER, HEADER + value.readUInt16LE(9))) });
    }
    for (const { offset, key } of purged) {
      db.removeSync(offset);
      topic.indexes[partition]!.removeSync(key);
    }
  });
}
