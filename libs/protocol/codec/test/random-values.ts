import { SeededRandom } from '#libs/devkit/testing/seeded-random.js';

/** Values of the codecs, thick around their limits. */
export class RandomValues {
  private readonly random: SeededRandom;
  private readonly ids: string[];

  constructor(seed: number) {
    this.random = new SeededRandom(seed);
    this.ids = Array.from({ length: 30 }, () => this.hex(this.pick([20, 20, 20, 32, 64, 1, 0])));
  }

  /** From 0 to `bound` - 1. */
  int(bound: number): number {
    return this.random.below(bound);
  }

  protected natural(): number {
    return this.pick([0, 1, 127, 128, this.int(20_000), this.int(2 ** 32), 2 ** 31, 2 ** 51 - 1 - this.int(999)]);
  }

  /** Bits from 0 to 512, thick around the limb and byte borders. */
  amount(): bigint {
    const bits = this.pick([0, 1, 7, 8, 47, 48, 49, 53, 55, 56, 57, 63, 64, 65, 96, 112, 128, 160, 256, 512]);
    let value = 0n;
    for (let i = 0; i < bits; i += 32) value = (value << 32n) | BigInt(this.int(2 ** 32));
    value = BigInt.asUintN(bits, value);
    if (bits > 0 && this.int(2) === 0) value |= 1n << BigInt(bits - 1);
    return this.int(6) === 0 ? (1n << BigInt(bits)) - 1n : value;
  }

  protected signed(): bigint {
    const amount = this.amount();
    return this.int(2) === 0 ? amount : -amount;
  }

  protected id(): string {
    return this.int(4) === 0 ? this.hex(this.pick([20, 32, 64])) : this.pick(this.ids);
  }

  protected text(): string {
    return this.pick(['', 'USDC', 'Wrapped Ether', '\ufeffbom', '\u0000\u0001', '🦀', 'é'.repeat(200)]);
  }

  protected hex(bytes: number): string {
    let digits = '';
    for (let i = 0; i < bytes; i++) digits += this.int(256).toString(16).padStart(2, '0');
    return digits;
  }

  protected list<T>(make: () => T): T[] {
    return Array.from({ length: this.pick([0, 1, 2, this.int(12)]) }, make);
  }

  protected maybe<T>(make: () => T): T | null {
    return this.int(3) === 0 ? null : make();
  }

  pick<T>(values: readonly T[]): T {
    return values[this.int(values.length)]!;
  }
}
