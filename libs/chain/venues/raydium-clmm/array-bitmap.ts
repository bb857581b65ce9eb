import { MAX_TICK, MIN_TICK } from '#libs/chain/amm/q64/tick-price.js';
import { EXTENSION_WORDS, TICKS_PER_ARRAY } from './account.js';

/**
 * Which arrays of ticks are in use, by their number: first tick / (60 · spacing), rounded down. Invariant: what the
 * program finds when it walks from array to array, its need of the extension included.
 */
export interface ArrayBitmap {
  /** Numbers from -512 to 511. */
  readonly own: Uint8Array;
  /** The words above, then the words below; null while it is unknown or does not exist. */
  readonly extension: Uint8Array | null;
}

export interface ArraysAhead {
  /** Nearest first. */
  readonly numbers: readonly number[];
  /** Whether the walk left the pool's own bitmap: without the extension it ends there. */
  readonly beyond: boolean;
}

const WORD = 512;

export const arrayWidth = (tickSpacing: number): number => TICKS_PER_ARRAY * tickSpacing;
const arrayOf = (tick: number, tickSpacing: number): number => Math.floor(tick / arrayWidth(tickSpacing));

/** The first arrays that a swap meets, that of the pool's own tick included when it is in use. */
export function arraysAhead(
  bitmap: ArrayBitmap,
  tick: number,
  tickSpacing: number,
  aToB: boolean,
  count: number,
): ArraysAhead {
  const lowest = arrayOf(MIN_TICK, tickSpacing);
  const highest = arrayOf(MAX_TICK, tickSpacing);
  const step = aToB ? -1 : 1;
  const numbers: number[] = [];
  let beyond = false;
  let number = arrayOf(tick, tickSpacing);
  while (numbers.length < count && number >= lowest && number <= highest) {
    const isOwn = number >= -WORD && number < WORD;
    if (!isOwn) {
      beyond = true;
      if (bitmap.extension === null) break;
    }
    const bits = isOwn ? bitmap.own : bitmap.extension!;
    const bit = isOwn ? number + WORD : extensionBit(number);
    if (bits[bit >> 3] === 0) {
      // Nothing in this byte: on to the next, or back to the one before.
      number += aToB ? -((bit & 7) + 1) : 8 - (bit & 7);
      continue;
    }
    if (((bits[bit >> 3]! >> (bit & 7)) & 1) === 1) numbers.push(number);
    number += step;
  }
  return { numbers, beyond };
}

/** Each word below counts upwards too: the first bit of the first of them is array -1024. */
function extensionBit(number: number): number {
  if (number >= WORD) return number - WORD;
  const word = Math.floor((-number - 1) / WORD) - 1;
  return (EXTENSION_WORDS + word) * WORD + number + (word + 2) * WORD;
}
