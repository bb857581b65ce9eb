import { squarePng } from '#libs/platform/outbound/png.js';

/** A picture for creates of a demonstration: rings, in 256 by 256 pixels of a palette. The same bytes everywhere. */
const SIZE = 256;
const RING = 16;
const PALETTE = [0x0b, 0x3c, 0x5d, 0x32, 0x8c, 0xc1, 0xd9, 0xe4, 0xdd];

let made: Buffer | null = null;

export function samplePicture(): Buffer {
  made ??= squarePng(SIZE, PALETTE, (x, y) => {
    const distance = Math.floor(Math.hypot(x - SIZE / 2, y - SIZE / 2) / RING);
    return distance >= SIZE / 2 / RING ? 2 : distance % 2;
  });
  return made;
}
