// Room: generators, oracles and worlds for specs and benchmarks. May import anything; only specs, test folders and
// benchmarks import it.

/**
 * What random tests share: the generator, how often they run (`TIDEPOOL_TEST_SCALE`, read here alone) and their seeds
 * (`TIDEPOOL_TEST_SEED` repeats one, `TIDEPOOL_TEST_RUN` all of a round of `npm run hunt`).
 */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';

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

/**
 * The name of a run of `npm test` and of CI: its seeds are the same in each commit, so that a commit is red for its own change.
 * `npm run hunt` gives each round another name in `TIDEPOOL_TEST_RUN`, which `npm test` then repeats.
 */
const GATE = 'gate';

const hunted = process.env.TIDEPOOL_TEST_RUN || undefined;
const asked = process.env.TIDEPOOL_TEST_SEED;

/** One seed was asked for: what only many of them show is not expected then. */
export const oneSeedAsked = asked !== undefined;

/** Shares of what one run happens to meet are closer in the gate than with any seeds. */
export const isHunt = hunted !== undefined;

/** The seed of a random test, which names it when it fails: the one asked for, else the run's; `gate` is the one outside of a hunt. */
export function testSeed(gate?: number): number {
  if (asked !== undefined) return Number(asked);
  return hunted === undefined ? (gate ?? drawSeed()) : drawSeed();
}

/** Seeds of a property run: the same ones from `first` on, in a hunt those from a drawn one on. */
export function propertySeeds(count: number, first = 1): number[] {
  if (asked !== undefined) return [Number(asked)];
  const from = hunted === undefined ? first : drawSeed();
  return Array.from({ length: count }, (_, i) => from + i);
}

const drawn = new Map<string, number>();

/**
 * Of the run, the spec, the test and how many the test has drawn: a test that is added or left out changes no seed of another,
 * and neither does a move of the file.
 */
function drawSeed(): number {
  const { testPath, currentTestName = '' } = (globalThis as { expect?: typeof expect }).expect?.getState() ?? {};
  const test = `${basename(testPath ?? process.argv[1] ?? '')} ${currentTestName}`;
  const nth = drawn.get(test) ?? 0;
  drawn.set(test, nth + 1);
  return (
    createHash('sha256')
      .update(`${hunted ?? GATE} ${test} ${nth}`)
      .digest()
      .readUInt32BE() >>> 2
  );
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
