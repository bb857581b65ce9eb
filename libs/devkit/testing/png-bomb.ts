import { deflateSync } from 'node:zlib';
import { pngColours, pngFile } from '#libs/platform/outbound/png.js';

/** A PNG that states a size, whatever is in it. */
export const pngBomb = (width: number, height: number, data = deflateSync(Buffer.alloc(10))): Buffer =>
  pngFile(width, height, pngColours.rgb, [['IDAT', data]]);
