import { createHash } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import type { Hex } from '#libs/core/ids.js';

/**
 * Pictures of tokens without one: a pattern of five by five fields, the same on both sides, in a colour of its own. A pure
 * function of the seed, so that every instance answers the same bytes. PNG, because a browser runs nothing in it.
 */
const FIELDS = 5;
const PIXELS_PER_FIELD = 24;
const SIZE = FIELDS * PIXELS_PER_FIELD;
const SEED_DIGITS = 16;

export const isSeed = (text: string): boolean => new RegExp(`^[0-9a-f]{${SEED_DIGITS}}$`).test(text);

export const seedOf = (chain: string, token: Hex): string =>
  createHash('sha256').update(`${chain}|${token}`).digest('hex').slice(0, SEED_DIGITS);

export function placeholder(seed: string): Buffer {
  const bits = createHash('sha256').update(seed).digest();
  const colour = rgbOf(bits.readUInt16BE(0) / 65_536);
  const rows: Buffer[] = [];
  for (let y = 0; y < SIZE; y++) {
    // A row begins with its filter, which is none.
    const row = Buffer.alloc(1 + SIZE);
    for (let x = 0; x < SIZE; x++) {
      const column = Math.floor(x / PIXELS_PER_FIELD);
      const mirrored = Math.min(column, FIELDS - 1 - column);
      row[1 + x] = bits[2 + mirrored * FIELDS + Math.floor(y / PIXELS_PER_FIELD)]! & 1;
    }
    rows.push(row);
  }
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header()),
    chunk('PLTE', Buffer.from([0xf1, 0xf3, 0xf5, ...colour])),
    chunk('IDAT', deflateSync(Buffer.concat(rows), { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Eight bits a pixel, each the index of a colour. */
function header(): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(SIZE, 0);
  data.writeUInt32BE(SIZE, 4);
  data.set([8, 3, 0, 0, 0], 8);
  return data;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
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
