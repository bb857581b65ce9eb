import { createHash } from 'node:crypto';
import type { TopicSpec } from '#libs/protocol/topics.js';

/** What the killed writer and the test that reads after it agree on: the bytes of every seq. */
export interface ChildArguments {
  dir?: string;
  brokers?: string[];
  left: TopicSpec;
  right: TopicSpec;
  writerId: string;
}

const LARGE_EVERY = 50;

/** The bytes of group `seq`: mostly small, every fiftieth above the chunk limit. */
export function groupValue(seq: number): Buffer {
  const pattern = createHash('sha256').update(`group ${seq}`).digest();
  const length = seq % LARGE_EVERY === LARGE_EVERY - 1 ? 700_000 + seq : 40 + (seq % 900);
  const value = Buffer.alloc(length, pattern);
  value.writeUInt32BE(seq, 0);
  return value;
}
