import { createHash } from 'node:crypto';
import type { Hex } from '#libs/core/ids.js';
import { squarePng } from '#libs/platform/outbound/png.js';

/**
 * Pictures of tokens without one: a pattern of five by five fields, the same on both sides, in a colour of its own. A pure
 * function of the seed, so that every instance answers the same bytes. PNG, because a browser runs nothing in it.
 */
const FIELDS = 5;
const PIXELS_PER_FIELD = 24;
const SEED_DIGITS = 16;

export const isSeed = (text: string): boolean => new RegExp(`^[0-9a-f]{${SEED_DIGITS}}$`).test(text);

export const seedOf = (chain: string, token: Hex): string =>
  createHash('sha256').update(`${chain}|${token}`).digest('hex').slice(0, SEED_DIGITS);

export function placeholder(seed: string): Buffer {
  const bits = createHash('sha256').update(seed).digest();
  const colour = rgbOf(bits.readUInt16BE(0) / 65_536);
  return squarePng(FIELDS * PIXELS_PER_FIELD, [0xf1, 0xf3, 0xf5, ...colour], (x, y) => {
    const column = Math.floor(x / PIXELS_PER_FIELD);
    const mirrored = Math.min(column, FIELDS - 1 - column);
    return bits[2 + mirrored * FIELDS + Math.floor(y / PIXELS_PER_FIELD)]! & 1;
  });
}

/** A hue, at one saturation and lightness. */
function rgbOf(hue: number): [number, number, number] {
  const [saturation, lightness] = [0.55, 0.5];
  const spread = saturation * Math.min(lightness, 1 - lightness);
  const part = (n: number): number => {
    const k = (n + hue * 12) % 12;
    return Math.round(255 * (lightness - spread * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return [part(0), part(8), part(4)];
}
