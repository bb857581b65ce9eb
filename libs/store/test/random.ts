/** Seeded random numbers (mulberry32): the same seed gives the same run. */
export class Random {
  constructor(private state: number) {}

  /** In [0, 1). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 0x1_0000_0000;
  }

  /** A whole number in [0, below). */
  below(below: number): number {
    return Math.floor(this.next() * below);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  hex(bytes: number): string {
    let digits = '';
    for (let i = 0; i < bytes; i++) digits += this.below(256).toString(16).padStart(2, '0');
    return digits;
  }

  /** A whole number of up to so many bits, small ones as likely as large ones. */
  bits(most: number): bigint {
    const size = this.below(most + 1);
    let value = 0n;
    for (let i = 0; i < size; i += 16) value = (value << 16n) | BigInt(this.below(65_536));
    return value & ((1n << BigInt(size)) - 1n);
  }
}

/** `TIDEPOOL_TEST_SEED` repeats a run; otherwise a new seed each time, printed by the failing test. */
export function testSeed(): number {
  const given = process.env.TIDEPOOL_TEST_SEED;
  return given === undefined ? Math.floor(Math.random() * 0x7fff_ffff) : Number(given);
}

export const testScale = Number(process.env.TIDEPOOL_TEST_SCALE ?? 0.1);

/** At least one; `full` at scale 1. */
export function scaled(full: number): number {
  return Math.max(1, Math.round(full * testScale));
}
