import { crc32, deflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** What the bytes of a pixel are: a colour, or the place of one in the palette. */
export const pngColours = { rgb: 2, palette: 3 } as const;

export type PngChunk = readonly [type: string, data: Buffer];

/** A PNG of eight bits a sample with these chunks between its header and its end, whatever is in them. */
export function pngFile(width: number, height: number, colours: number, chunks: readonly PngChunk[]): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, colours, 0, 0, 0], 8);
  const all: PngChunk[] = [['IHDR', header], ...chunks, ['IEND', Buffer.alloc(0)]];
  return Buffer.concat([SIGNATURE, ...all.map(chunkBytes)]);
}

/** A square of pixels, each of the colour whose place in the palette (three bytes a colour) it has. The same bytes everywhere. */
export function squarePng(size: number, palette: readonly number[], place: (x: number, y: number) => number): Buffer {
  // A row begins with its filter, which is none.
  const rows = Buffer.alloc(size * (size + 1));
  for (let y = 0; y < size; y++) for (let x = 0; x < size; x++) rows[y * (size + 1) + 1 + x] = place(x, y);
  return pngFile(size, size, pngColours.palette, [
    ['PLTE', Buffer.from(palette)],
    ['IDAT', deflateSync(rows, { level: 9 })],
  ]);
}

function chunkBytes([type, data]: PngChunk): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}
