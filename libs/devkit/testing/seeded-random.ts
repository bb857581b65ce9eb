// Room: generators, oracles and worlds for specs and benchmarks. May import anything; only specs, test folders and
// benchmarks import it.

/**
 * What random tests share: the generator, how often they run (`TIDEPOOL_TEST_SCALE`, read here alone) and their seeds
 * (`TIDEPOOL_TEST_SEED` repeats one, `TIDEPOOL_TEST_RUN` all of a run).
 */
import { createHash } from 'node:crypto';

/** Small seeded generator (mulberry32): the same seed gives the same history on every machine. */
export class SeededRandom {
  private state: number;

  constructor(readonly seed: number) {
    this.state = seed >>> 0;
  }

  /** In [0, 1). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Integer in [from, to]. */
  int(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.next() * items.length)];
    if (item === undefined) throw new RangeError('nothing to pick from');
    return item;
  }

  /** Log-uniform in [from, to]. */
  spread(from: number, to: number): number {
    return Math.exp(Math.log(from) + this.next() * (Math.log(to) - Math.log(from)));
  }

  hex(bytes: number): string {
    let text = '';
    while (text.length < bytes * 2) text += this.int(0, 0xffff).toString(16).padStart(4, '0');
    return text.slice(0, bytes * 2);
  }

  /** Integer in [0, limit). */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.below(256)));
  }

  /** A whole number of up to so many bits, small ones as likely as large ones. */
  bits(most: number): bigint {
    const size = this.below(most + 1);
    let value = 0n;
    for (let i = 0; i < size; i += 16) value = (value << 16n) | BigInt(this.below(65_536));
    return value & ((1n << BigInt(size)) - 1n);
  }
}

/** 1 is the full count of random tests, a tenth is the default. */
export const testScale = readScale(process.env.TIDEPOOL_TEST_SCALE);

function readScale(text = '0.1'): number {
  const scale = Number(text);
  if (Number.isFinite(scale) && scale > 0) return scale;
  throw new RangeError(`TIDEPOOL_TEST_SCALE must be a number above 0, not "${text}"`);
}

/** `full` runs at scale 1, at least `least` at any. */
export function scaled(full: number, least = 1): number {
  return Math.max(least, Math.round(full * testScale));
}

/** The seed of a random test: the one asked for, always the given one, or the next of the run. The test names it when it fails. */
export function testSeed(always?: number): number {
  const asked = process.env.TIDEPOOL_TEST_SEED;
  return asked === undefined ? (always ?? nextSeed()) : Number(asked);
}

let drawn = 0;

/** Of the run's name (scripts/lib/test-run.mjs), the spec and how many the spec has drawn; by chance outside of a run. */
function nextSeed(run = process.env.TIDEPOOL_TEST_RUN): number {
  if (run === undefined) return Math.floor(Math.random() * 2 ** 31);
  const spec = (globalThis as { expect?: typeof expect }).expect?.getState().testPath ?? process.argv[1] ?? '';
  const name = `${run} ${spec.replace(`${process.cwd()}/`, '')} ${drawn++}`;
  return createHash('sha256').update(name).digest().readUInt32BE() >>> 1;
}

/** One seed was asked for: what only many of them show is not expected then. */
export const oneSeedAsked = process.env.TIDEPOOL_TEST_SEED !== undefined;

/** Seeds of a property run: the same ones each time, from `first` on. */
export function propertySeeds(count: number, first = 1): number[] {
  const asked = process.env.TIDEPOOL_TEST_SEED;
  return asked === undefined ? Array.from({ length: count }, (_, i) => first + i) : [Number(asked)];
}

/** Runs a random test and names its seed when it fails. */
export async function withSeed(name: string, run: (random: SeededRandom) => Promise<void>): Promise<void> {
  const seed = testSeed();
  try {
    await run(new SeededRandom(seed));
  } catch (error) {
    console.error(`${name} failed with TIDEPOOL_TEST_SEED=${seed}`);
    throw error;
  }
}
