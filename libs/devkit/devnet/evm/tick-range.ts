import { MAX_TICK } from '#libs/chain/amm/tick-math.js';

/** Usable ticks around a price. */
export function tickRange(tick: number, width: number, spacing: number): { lower: number; upper: number } {
  const last = Math.floor(MAX_TICK / spacing) * spacing;
  const lower = Math.max(-last, Math.min(last - spacing, Math.floor((tick - width) / spacing) * spacing));
  const upper = Math.max(lower + spacing, Math.min(last, Math.ceil((tick + width) / spacing) * spacing));
  return { lower, upper };
}
