/** Seeded pseudo-random numbers (sfc32): the same seed gives the same sequence on every machine. */
export class SeededRandom {
  private a: number;
  private b: number;
  private c: number;
  private counter = 1;

  constructor(readonly seed: number) {
    this.a = 0x9e3779b9 ^ (seed | 0);
    this.b = 0x243f6a88 ^ Math.floor(seed / 0x100000000);
    this.c = 0xb7e15162;
    for (let i = 0; i < 16; i++) this.uint32();
  }

  uint32(): number {
    const t = (this.a + this.b + this.counter) | 0;
    this.counter = (this.counter + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = ((this.c << 21) | (this.c >>> 11)) + t;
    this.c |= 0;
    return t >>> 0;
  }

  /** Uniform in [0, 1). */
  next(): number {
    return this.uint32() / 0x100000000;
  }

  /** Uniform integer in [0, below). */
  int(below: number): number {
    return Math.floor(this.next() * below);
  }

  /** Uniform integer in [from, to], both ends included. */
  between(from: number, to: number): number {
    return from + this.int(to - from + 1);
  }

  chance(probability: number): boolean {
    return probability > 0 && this.next() < probability;
  }

  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new RangeError('pick from nothing');
    return items[this.int(items.length)] as T;
  }

  /** Picks an index with the given relative weights. */
  weighted(weights: readonly number[]): number {
    let at = this.next() * weights.reduce((sum, w) => sum + w, 0);
    for (let i = 0; i < weights.length; i++) {
      at -= weights[i] as number;
      if (at < 0) return i;
    }
    return weights.length - 1;
  }

  /** `amount` times a factor that is log-uniform in [low, high]. */
  fraction(amount: bigint, low: number, high: number): bigint {
    const factor = low * (high / low) ** this.next();
    return (amount * BigInt(Math.round(factor * 1e12))) / 1_000_000_000_000n;
  }

  hex(bytes: number): string {
    let out = '';
    while (out.length < bytes * 2) out += this.uint32().toString(16).padStart(8, '0');
    return out.slice(0, bytes * 2);
  }

  shuffle<T>(items: T[]): T[] {
    for (let i = items.length - 1; i > 0; i--) {
      const j = this.int(i + 1);
      [items[i], items[j]] = [items[j] as T, items[i] as T];
    }
    return items;
  }
}
