import { createHash } from 'node:crypto';
import { scaled, withSeed } from '#libs/devkit/testing/seeded-random.js';
import type { SequencedRecord } from '../log.js';
import { CHUNK_LIMIT, type Chunk, decodeChunk, encodeChunks, GroupAssembler } from './kafka-chunk.js';

const TOKEN = Buffer.from('writer-a');
const OTHER = Buffer.from('writer-b');

const chunksOf = (seq: number, token: Buffer, value: Buffer): Chunk[] =>
  encodeChunks(seq, token, value).map((bytes) => decodeChunk(null, bytes)!);

/** Large buffers are compared by digest: jest's own comparison takes seconds. */
const digest = (group: SequencedRecord | null): string =>
  group ? `${group.seq} ${createHash('sha256').update(group.value).digest('hex')}` : 'none';

describe('chunks of a group', () => {
  test('cut at the limit and joined again, with a seq beyond 32 bits', () => {
    for (const length of [0, 1, CHUNK_LIMIT, CHUNK_LIMIT + 1, 3 * CHUNK_LIMIT - 1]) {
      const value = Buffer.alloc(length, 'abc');
      const seq = 2 ** 40 + length;
      const chunks = chunksOf(seq, TOKEN, value);
      expect(chunks).toHaveLength(Math.max(1, Math.ceil(length / CHUNK_LIMIT)));
      const assembler = new GroupAssembler();
      const groups = chunks.map((chunk) => assembler.push(chunk));
      expect(groups.slice(0, -1).every((g) => g === null)).toBe(true);
      expect(digest(groups.at(-1)!)).toBe(digest({ seq, value }));
    }
  });

  test('what is not a chunk is recognised', () => {
    const [bytes] = encodeChunks(1, TOKEN, Buffer.from('v'));
    expect(decodeChunk(null, bytes!)).not.toBeNull();
    expect(decodeChunk(Buffer.from('k'), bytes!)).toBeNull();
    expect(decodeChunk(null, null)).toBeNull();
    expect(decodeChunk(null, bytes!.subarray(0, 20))).toBeNull();
    const version = Buffer.from(bytes!);
    version.writeUInt8(9, 2);
    expect(decodeChunk(null, version)).toBeNull();
    const index = Buffer.from(bytes!);
    index.writeUInt32BE(1, 20);
    expect(decodeChunk(null, index)).toBeNull();
  });

  test('i = 0 discards what was unfinished; another writer never completes it', () => {
    const value = Buffer.alloc(2 * CHUNK_LIMIT + 5, 'x');
    const zombie = chunksOf(7, OTHER, Buffer.alloc(2 * CHUNK_LIMIT + 5, 'z'));
    const heir = chunksOf(7, TOKEN, value);
    const feed = (chunks: Chunk[]): string[] => {
      const assembler = new GroupAssembler();
      return chunks.map((chunk) => digest(assembler.push(chunk))).filter((group) => group !== 'none');
    };
    expect(feed([zombie[0]!, zombie[1]!, ...heir])).toEqual([digest({ seq: 7, value })]);
    expect(feed([zombie[0]!, heir[1]!, heir[2]!])).toEqual([]);
    expect(feed([heir[0]!, zombie[1]!, heir[1]!, heir[2]!])).toEqual([]);
    expect(feed([heir[0]!, heir[2]!])).toEqual([]);
    expect(feed([heir[1]!, heir[2]!, ...heir])).toEqual([digest({ seq: 7, value })]);
    expect(feed([heir[0]!, heir[1]!, heir[1]!, heir[2]!])).toEqual([]);
  });

  test('random interleavings yield only groups that were written whole and in one run', async () => {
    await withSeed('chunk interleavings', async (random) => {
      for (let i = 0; i < scaled(100); i++) {
        const written: Chunk[] = [];
        const whole: number[] = [];
        for (let seq = 0; seq < 20; seq++) {
          const chunks = chunksOf(seq, random.pick([TOKEN, OTHER]), Buffer.alloc(random.below(3) * CHUNK_LIMIT + 1));
          const kept = random.below(3) === 0 ? random.below(chunks.length) : chunks.length;
          written.push(...chunks.slice(0, kept));
          if (kept === chunks.length) whole.push(seq);
        }
        const assembler = new GroupAssembler();
        const seen = written.map((chunk) => assembler.push(chunk)?.seq).filter((seq) => seq !== undefined);
        expect(seen).toEqual(whole);
      }
    });
  });
});
