import { createHash } from 'node:crypto';

/**
 * Pictures of invented tokens, small enough for the address of their metadata: eight by eight points in four colours, the same on
 * both sides. Invariant: a picture is a function of its name, and its address (a data URI, so that nothing is asked of any host)
 * has at most 128 characters.
 */
const SIZE = 8;

export function pictureUri(name: string): string {
  return `data:image/gif;base64,${picture(name).toString('base64')}`;
}

/** A metadata file inside of its own address, as tokens that keep it on the chain write it. */
export function metadataUri(name: string, description: string): string {
  const file = JSON.stringify({ image: pictureUri(name), description });
  return `data:application/json;utf8,${file.replace(/[%#]/g, encodeURIComponent)}`;
}

function picture(name: string): Buffer {
  const bits = createHash('sha256').update(`picture of ${name}`).digest();
  const hue = bits.readUInt16BE(0) / 65_536;
  const colours = [rgb(hue, 0.92), rgb(hue, 0.62), rgb(hue + 0.08, 0.42), rgb(hue + 0.45, 0.3)];
  const points: number[] = [];
  for (let y = 0; y < SIZE; y++) {
    for (let x = 0; x < SIZE; x++) {
      const column = Math.min(x, SIZE - 1 - x);
      // A disc with a pattern on it.
      const inside = Math.hypot(x - 3.5, y - 3.5) < 3.9;
      points.push(inside ? 1 + (bits[2 + column * SIZE + (y % SIZE)]! % 3) : 0);
    }
  }
  return gif(colours, points);
}

function gif(colours: readonly number[][], points: readonly number[]): Buffer {
  const data = lzw(points);
  return Buffer.concat([
    Buffer.from('GIF89a', 'latin1'),
    // The screen: its size, a table of four colours, no background of its own.
    Buffer.from([SIZE, 0, SIZE, 0, 0x81, 0, 0]),
    Buffer.from(colours.flat()),
    Buffer.from([0x2c, 0, 0, 0, 0, SIZE, 0, SIZE, 0, 0, CODE_BITS, data.length]),
    data,
    Buffer.from([0, 0x3b]),
  ]);
}

const CODE_BITS = 2;
const CLEAR = 1 << CODE_BITS;
const END = CLEAR + 1;

/** GIF's compression; so few points fill no table and one block. */
function lzw(points: readonly number[]): Buffer {
  const table = new Map<string, number>();
  const bytes: number[] = [];
  let width = CODE_BITS + 1;
  let [held, bits] = [0, 0];
  const put = (code: number): void => {
    held |= code << bits;
    for (bits += width; bits >= 8; bits -= 8) {
      bytes.push(held & 0xff);
      held >>>= 8;
    }
  };
  const codeOf = (run: string): number => (run.length === 1 ? Number(run) : table.get(run)!);
  put(CLEAR);
  let run = '';
  for (const point of points) {
    const longer = run + point;
    if (longer.length === 1 || table.has(longer)) {
      run = longer;
      continue;
    }
    put(codeOf(run));
    const next = END + 1 + table.size;
    table.set(longer, next);
    // A reader learns a code one step later: its codes grow when this one would not fit.
    if (next === 1 << width) width++;
    run = String(point);
  }
  put(codeOf(run));
  put(END);
  if (bits > 0) bytes.push(held & 0xff);
  return Buffer.from(bytes);
}

/** A colour of a hue, at one saturation. */
function rgb(hue: number, lightness: number): number[] {
  const spread = 0.6 * Math.min(lightness, 1 - lightness);
  return [0, 8, 4].map((n) => {
    const k = (n + hue * 12) % 12;
    return Math.round(255 * (lightness - spread * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  });
}
