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
}

/** `count` at full scale (TIDEPOOL_TEST_SCALE=1); a tenth by default, at least `least`. */
export function scaled(count: number, least = 1): number {
  const scale = Number(process.env.TIDEPOOL_TEST_SCALE ?? '0.1');
  return Math.max(least, Math.round(count * scale));
}

/** Seeds of a property run. `TIDEPOOL_TEST_SEED` repeats one of them. */
export function propertySeeds(count: number, first = 1): number[] {
  const fixed = process.env.TIDEPOOL_TEST_SEED;
  return fixed === undefined ? Array.from({ length: count }, (_, i) => first + i) : [Number(fixed)];
}
