/** How concentrated pools keep their initialized ticks: a bit for each possible tick, 256 in a word. */
const MIN_TICK = -887_272;
const MAX_TICK = 887_272;

/** The words that can have a bit, ascending. */
export function tickBitmapWords(tickSpacing: number): number[] {
  const first = Math.floor(Math.trunc(MIN_TICK / tickSpacing) / 256);
  const last = Math.floor(Math.trunc(MAX_TICK / tickSpacing) / 256);
  return Array.from({ length: last - first + 1 }, (_, n) => first + n);
}

/** The ticks whose bits are set in those words. */
export function initializedTicks(tickSpacing: number, words: readonly bigint[]): number[] {
  const first = Math.floor(Math.trunc(MIN_TICK / tickSpacing) / 256);
  const ticks: number[] = [];
  for (const [n, word] of words.entries()) {
    let bits = word;
    for (let bit = 0; bits !== 0n; bit++, bits >>= 1n) {
      if (bits & 1n) ticks.push(((first + n) * 256 + bit) * tickSpacing);
    }
  }
  return ticks;
}
