import sharp from 'sharp';
import { rewritePicture } from '#libs/platform/outbound/picture.js';
import { metadataUri, pictureUri } from './token-picture.js';

it('draws a picture of its own for each token, in an address that every program takes', async () => {
  const seen = new Set<string>();
  for (let n = 0; n < 500; n++) {
    const uri = pictureUri(`token ${n}`);
    expect(uri.length).toBeLessThanOrEqual(128);
    const bytes = Buffer.from(uri.split(',')[1]!, 'base64');
    const { data, info } = await sharp(bytes, { failOn: 'warning' }).raw().toBuffer({ resolveWithObject: true });
    expect([info.width, info.height]).toEqual([8, 8]);
    // The same on both sides.
    const point = (x: number, y: number) =>
      data.subarray((y * 8 + x) * info.channels, (y * 8 + x + 1) * info.channels).toString('hex');
    for (let y = 0; y < 8; y++) for (let x = 0; x < 4; x++) expect(point(x, y)).toBe(point(7 - x, y));
    seen.add(data.toString('hex'));
  }
  expect(seen.size).toBe(500);
  const { image, description } = JSON.parse(
    decodeURIComponent(metadataUri('x', 'a #1 token').split(',').slice(1).join(',')),
  ) as Record<string, string>;
  expect({ image, description }).toEqual({ image: pictureUri('x'), description: 'a #1 token' });
});

it('is shown with sharp edges', async () => {
  const written = await rewritePicture(Buffer.from(pictureUri('x').split(',')[1]!, 'base64'));
  expect(await sharp(written).metadata()).toMatchObject({ format: 'webp', width: 64, height: 64 });
});
