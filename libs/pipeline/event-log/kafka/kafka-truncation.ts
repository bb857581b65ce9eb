import type { Kafka } from 'kafkajs';
import { decodeChunk, GroupAssembler } from './kafka-chunk.js';
import { findStart, lastGroup, recordsBetween } from './kafka-groups.js';
import type { KafkaPartitionReader } from './kafka-partition.js';
import { withAdmin } from './kafka-topics.js';

/** Drops the records before an offset of a topic with one partition. */
export function deleteBefore(kafka: Kafka, topic: string, offset: number): Promise<void> {
  return withAdmin(
    kafka,
    async (admin) => {
      await admin.fetchTopicOffsets(topic); // records are deleted only where the client knows the leader
      await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: String(offset) }] });
    },
    'truncate a topic',
  );
}

/**
 * Offset of the first record that a topic needs when its groups begin with `seq`: the first chunk of that group, or of the
 * last one where the topic ends before. Null when it holds no group, or begins there already.
 */
export async function offsetOfGroup(reader: KafkaPartitionReader, topic: string, seq: number): Promise<number | null> {
  const last = await lastGroup(reader, topic);
  if (last === null) return null;
  const wanted = Math.min(seq, last.seq);
  const end = await reader.decidedEnd(topic, 0);
  const assembler = new GroupAssembler();
  let begun = 0;
  for await (const record of recordsBetween(reader, topic, await findStart(reader, topic, wanted), end)) {
    const chunk = decodeChunk(record.key, record.value);
    if (chunk === null) continue;
    if (chunk.index === 0) begun = record.offset;
    const group = assembler.push(chunk);
    if (group !== null && group.seq >= wanted) return group.seq === wanted ? begun : null;
  }
  return null;
}
