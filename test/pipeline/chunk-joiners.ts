import { type Chunk, encodeChunks, GroupAssembler } from '#libs/pipeline/event-log/kafka/kafka-chunk.js';
import type { SequencedRecord } from '#libs/pipeline/event-log/log.js';

/** How a log of small records keeps groups: what is read of a torn append depends on how its chunks are joined. */
export interface ChunkJoiner {
  push(chunk: Chunk): SequencedRecord | null;
}

/** By the rule (4): seq, writer token, i and n say what belongs together, i = 0 begins a new group. */
export const joinBySeq = (): ChunkJoiner => new GroupAssembler();

/** Without it: all chunks between two marked ends are a group. */
export const joinByMarker = (): ChunkJoiner => {
  let parts: Buffer[] = [];
  return {
    push: ({ seq, index, count, bytes }) => {
      parts.push(bytes);
      if (index < count - 1) return null;
      const value = Buffer.concat(parts);
      parts = [];
      return { seq, value };
    },
  };
};

/** Small, so that most groups take several. */
const CHUNK_BYTES = 300;

export const chunksOf = ({ seq, value }: SequencedRecord, token: Buffer): Buffer[] =>
  encodeChunks(seq, token, value, CHUNK_BYTES);
