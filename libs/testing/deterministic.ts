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

/** Small seeded generator (mulberry32) for random tests: the seed is printed when one fails. */
export class Random {
  private state: number;

  constructor(readonly seed: number) {
    this.state = seed >>> 0;
  }

  /** Integer in [0, limit). */
  below(limit: number): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * limit);
  }

  bytes(length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    for (let i = 0; i < length; i++) bytes[i] = this.below(256);
    return bytes;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }
}

/** TIDEPOOL_TEST_SCALE: 1 is the full count, a tenth is the default. At least `floor`. */
export function scaled(full: number, floor = 1): number {
  return Math.max(floor, Math.round(full * Number(process.env.TIDEPOOL_TEST_SCALE ?? '0.1')));
}

/** Runs a random test and names its seed when it fails. */
export async function withSeed(name: string, run: (random: Random) => Promise<void>): Promise<void> {
  const seed = Number(process.env.TIDEPOOL_TEST_SEED ?? Math.floor(Math.random() * 2 ** 32));
  try {
    await run(new Random(seed));
  } catch (error) {
    console.error(`${name} failed with TIDEPOOL_TEST_SEED=${seed}`);
    throw error;
  }
}
