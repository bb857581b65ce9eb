import type { Hex } from '#libs/core/ids.js';
import type { PriceRow } from '#libs/pipeline/store/market/price-reads.js';
import type { ReferenceStep } from '#libs/pipeline/store/market/recent-reads.js';
import type { ReferencePrice } from '#libs/protocol/facts.js';
import type { TailGroup } from '../tail-buffer.js';
import type { HotState } from './hot-states.js';
import { priceIn, ROW_BYTES } from './newest-row.js';

/** What answers are made of goes back as far as this from the block that the states are at: a day, and some minutes. */
export const RECENT_MS = 86_400_000 + 600_000;

export const MOST_STEPS = 20_000;

/** The prices of a token since some time, and the one before. Times do not go down. */
export class PriceSteps implements HotState {
  constructor(
    private readonly token: Hex,
    /** No answer for a time before. */
    private floor: number,
    private steps: PriceRow[],
  ) {}

  get bytes(): number {
    return this.steps.length * ROW_BYTES;
  }

  reaches(before: number): boolean {
    return before >= this.floor;
  }

  newest(): PriceRow | null {
    return this.steps.at(-1) ?? null;
  }

  /** The newest one of a block before a time. */
  before(time: number): PriceRow | null {
    return lastBefore(this.steps, time);
  }

  apply(group: TailGroup): boolean {
    const price = priceIn(group, this.token);
    if (price === undefined) return true;
    this.steps.push(price);
    const floor = Math.max(this.floor, group.facts.time - RECENT_MS);
    const first = indexBefore(this.steps, floor);
    if (first > 64 && first > this.steps.length / 4) {
      this.steps = this.steps.slice(first);
      this.floor = floor;
    }
    return this.steps.length < 2 * MOST_STEPS;
  }
}

/** Reference prices of the blocks with a time in [from, to), and those before. */
export class ReferenceSteps implements HotState {
  constructor(
    private readonly first: readonly ReferencePrice[],
    private readonly steps: ReferenceStep[],
    private readonly to: number,
  ) {}

  get bytes(): number {
    return this.steps.length * 600;
  }

  before(time: number): readonly ReferencePrice[] {
    return lastBefore(this.steps, time)?.prices ?? this.first;
  }

  apply({ facts: { references, time } }: TailGroup): boolean {
    if (references.length > 0 && time < this.to) this.steps.push({ time, prices: references });
    return true;
  }
}

/** Place of the last step before a time; -1 where there is none. */
export function indexBefore(steps: readonly { time: number }[], time: number): number {
  let [low, high] = [0, steps.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (steps[middle]!.time < time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

const lastBefore = <Step extends { time: number }>(steps: readonly Step[], time: number): Step | null =>
  steps[indexBefore(steps, time)] ?? null;
