import { randomBytes } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { OutboundRefusal } from './outbound-refusal.js';
import { rewritePicture } from './picture.js';

/** What is written is a picture and nothing else, whatever was sent. */
describe('pictures of strangers', () => {
  const drawn = (width = 40, height = 30) =>
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
      expect(await sharp(written).metadata()).toMatchObject({ format: 'webp', width: 40, height: 30 });
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
      'wrong size': bomb(0, 10),
      'wide bomb': bomb(60_000, 60_000),
      'long bomb': bomb(2_000_000_000, 1),
      'bomb of zeros': bomb(20_000, 20_000, deflateSync(Buffer.alloc(4_000_000))),
    };
    for (const [name, bytes] of Object.entries(hostile)) {
      expect({ name, refused: await refused(bytes) }).toEqual({ name, refused: true });
    }
    expect(Object.keys(hostile).length).toBe(17);
  });
});

/** A PNG that states a size. */
function bomb(width: number, height: number, data = deflateSync(Buffer.alloc(10))): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const chunk = (type: string, content: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type), content]);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(content.length, 0);
    frame.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
  };
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))]);
}
