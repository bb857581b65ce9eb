import { crc32, deflateSync } from 'node:zlib';

/** A picture for creates of a demonstration: rings, in 256 by 256 pixels of a palette. The same bytes everywhere. */
const SIZE = 256;
const RING = 16;
const PALETTE = [0x0b, 0x3c, 0x5d, 0x32, 0x8c, 0xc1, 0xd9, 0xe4, 0xdd];

let made: Buffer | null = null;

export function samplePicture(): Buffer {
  made ??= Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header()),
    chunk('PLTE', Buffer.from(PALETTE)),
    chunk('IDAT', deflateSync(pixels(), { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
  return made;
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** A row begins with its filter, which is none. */
function pixels(): Buffer {
  const rows = Buffer.alloc(SIZE * (SIZE + 1));
  for (let y = 0; y < SIZE; y++) {
    for (let x = 0; x < SIZE; x++) {
      const distance = Math.floor(Math.hypot(x - SIZE / 2, y - SIZE / 2) / RING);
      rows[y * (SIZE + 1) + 1 + x] = distance >= SIZE / 2 / RING ? 2 : distance % 2;
    }
  }
  return rows;
}

function header(): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(SIZE, 0);
  data.writeUInt32BE(SIZE, 4);
  // Eight bits a pixel, each the index of a colour.
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
