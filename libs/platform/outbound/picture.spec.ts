import { randomBytes } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { pngBomb } from '#libs/devkit/testing/png-bomb.js';
import { OutboundRefusal } from './outbound-refusal.js';
import { rewritePicture } from './picture.js';

/** What is written is a picture and nothing else, whatever was sent. */
describe('pictures of strangers', () => {
  const drawn = (width = 80, height = 60) =>
    sharp(randomBytes(width * height * 3), { raw: { width, height, channels: 3 } });
  const refused = async (bytes: Buffer): Promise<boolean> => {
    try {
      await rewritePicture(bytes);
      return false;
    } catch (error) {
      return error instanceof OutboundRefusal;
    }
  };

  it('writes PNG, JPEG, WebP and GIF anew, within its size', async () => {
    for (const form of ['png', 'jpeg', 'webp', 'gif'] as const) {
      const written = await rewritePicture(await drawn().toFormat(form).toBuffer());
      expect(await sharp(written).metadata()).toMatchObject({ format: 'webp', width: 80, height: 60 });
    }
    const large = await rewritePicture(await drawn(1500, 750).png().toBuffer());
    expect(await sharp(large).metadata()).toMatchObject({ width: 512, height: 256 });
  });

  it('keeps nothing but the pixels', async () => {
    const secret = 'who took it and where';
    const exif = { IFD0: { Copyright: secret, ImageDescription: '<script>alert(1)</script>' } };
    const marked = Buffer.concat([await drawn().withExif(exif).jpeg().toBuffer(), Buffer.from('<html>tail</html>')]);
    expect(marked.includes(secret)).toBe(true);
    const written = await rewritePicture(marked);
    for (const text of [secret, 'script', 'html']) expect(written.includes(text)).toBe(false);
    expect((await sharp(written).metadata()).exif).toBeUndefined();
  });

  it('refuses what is no picture, and pictures that are bombs', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="file:///etc/passwd"/></svg>';
    const whole = await drawn().png().toBuffer();
    const hostile: Record<string, Buffer> = {
      nothing: Buffer.alloc(0),
      text: Buffer.from('a picture'),
      page: Buffer.from('<!doctype html><script>alert(1)</script>'),
      svg: Buffer.from(svg),
      'svg behind a mark': Buffer.from(`\uFEFF${svg}`),
      'compressed svg': deflateSync(svg),
      tiff: await drawn()
        .tiff()
        .toBuffer()
        .catch(() => Buffer.from('II*\0')),
      avif: await drawn().avif().toBuffer(),
      pdf: Buffer.from('%PDF-1.4\n1 0 obj<<>>endobj'),
      script: Buffer.from('push graphic-context\nimage over 0,0 0,0 "|id"\n'),
      archive: Buffer.from('PK\u0003\u0004'),
      'cut picture': whole.subarray(0, whole.length >> 1),
      'head alone': whole.subarray(0, 33),
      'wrong size': pngBomb(0, 10),
      'wide bomb': pngBomb(60_000, 60_000),
      'long bomb': pngBomb(2_000_000_000, 1),
      'bomb of zeros': pngBomb(20_000, 20_000, deflateSync(Buffer.alloc(4_000_000))),
    };
    for (const [name, bytes] of Object.entries(hostile)) {
      expect({ name, refused: await refused(bytes) }).toEqual({ name, refused: true });
    }
    expect(Object.keys(hostile).length).toBe(17);
  });
});
