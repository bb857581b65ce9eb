/**
 * The peg of a stable that loses it now and then and gets it back. Invariant: what it is worth follows from the seed and
 * the seconds since the market began alone.
 */
const PERIOD = 8 * 3600;
/** In a period: when the first episode may begin, and how much later it may. */
const [EARLIEST, SPREAD] = [2 * 3600, 3600];
const FALL = 300;
const LOW = 240;
const RECOVERY = 1_500;
/** Loss at the lowest: from, and up to that much more. */
const [LEAST_LOSS, MORE_LOSS] = [0.025, 0.045];

/** A number in [0, 1) of a seed and a period. */
function chanceOf(seed: number, period: number, kind: number): number {
  const mixed = Math.imul((seed ^ 0x9e3779b9) + period * 0x85ebca6b + kind * 0xc2b2ae35, 0x27d4eb2f);
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
}

/** USD of one whole stable whose peg is one dollar. */
export function pegAt(seed: number, seconds: number): number {
  const period = Math.floor(seconds / PERIOD);
  const since = seconds - period * PERIOD - EARLIEST - SPREAD * chanceOf(seed, period, 0);
  const loss = LEAST_LOSS + MORE_LOSS * chanceOf(seed, period, 1);
  if (since <= 0 || since >= FALL + LOW + RECOVERY) return 1;
  if (since < FALL) return 1 - (loss * since) / FALL;
  if (since < FALL + LOW) return 1 - loss;
  return 1 - loss * (1 - (since - FALL - LOW) / RECOVERY) ** 2;
}
