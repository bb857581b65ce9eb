import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { OutboundRefusal } from './outbound-refusal.js';

/** Pictures that are read. SVG is not: it is a program, and it can name other files. */
export const PICTURE_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const;

export const MOST_PICTURE_BYTES = 160 * 1024;

const MOST_PIXELS = 24_000_000;
const SECONDS = 10;
/** A picture of fewer points is enlarged by whole ones, so that its edges stay sharp. */
const LEAST_EDGE = 64;
/** From the best to the smallest: the first whose file is small enough is taken. */
const FORMS = [
  { edge: 512, quality: 85 },
  { edge: 512, quality: 55 },
  { edge: 256, quality: 55 },
] as const;

// What a file is follows from its bytes; every reader but these four is switched off.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: ['Png', 'Jpeg', 'Webp', 'Nsgif'].map((form) => `VipsForeignLoad${form}Buffer`) });
sharp.cache(false);
sharp.concurrency(1);

/**
 * A stranger's picture decoded and written again as WebP: at most 512 pixels wide and high, one frame, with nothing but
 * its pixels. Invariants: not one byte of the input reaches the output; the output is at most MOST_PICTURE_BYTES long; what cannot
 * be decoded, or is too large once decoded, is an OutboundRefusal of reason `type`.
 */
export async function rewritePicture(input: Buffer): Promise<Buffer> {
  for (const form of FORMS) {
    const written = await rewrite(input, form);
    if (written.length <= MOST_PICTURE_BYTES) return written;
  }
  throw new OutboundRefusal('size', 'the picture does not become small enough');
}

async function rewrite(input: Buffer, { edge, quality }: (typeof FORMS)[number]): Promise<Buffer> {
  try {
    const picture = sharp(input, { limitInputPixels: MOST_PIXELS, failOn: 'error', pages: 1, animated: false });
    const { width, height } = await picture.metadata();
    const factor = Math.floor(LEAST_EDGE / Math.max(width, height));
    picture.timeout({ seconds: SECONDS }).rotate();
    if (factor > 1) {
      const points = Math.max(width, height) * factor;
      return await picture
        .resize(points, points, { fit: 'inside', kernel: 'nearest' })
        .webp({ quality, nearLossless: true })
        .toBuffer();
    }
    return await picture.resize(edge, edge, { fit: 'inside', withoutEnlargement: true }).webp({ quality }).toBuffer();
  } catch {
    throw new OutboundRefusal('type', 'the file is no PNG, JPEG, WebP or GIF picture, or too large a one');
  }
}

/** The name of a picture's file: its content. */
export const pictureName = (written: Buffer): string => `${createHash('sha256').update(written).digest('hex')}.webp`;

export const isPictureName = (name: string): boolean => /^[0-9a-f]{64}\.webp$/.test(name);
