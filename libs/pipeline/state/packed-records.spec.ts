import { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import { testSeed } from '#libs/devkit/testing/seeded-random.js';
import { type PackedRecord, RecordPacker, unpackRecords } from './packed-records.js';

test('records of the same keys, packed one after the other, come back from both packers', () => {
  const seed = testSeed();
  const random = new SeededRandom(seed);
  const bytes = (most: number): Buffer => Buffer.from(Array.from({ length: random.int(most) }, () => random.int(256)));
  const someValue = (): Buffer | null => (random.chance(0.2) ? null : bytes(random.chance(0.1) ? 400 : 20));
  // Not of one size: they hand out their memory at different records.
  const packers = [new RecordPacker(200), new RecordPacker(90)] as const;
  const packed: Buffer[][] = [[], []];
  const given: PackedRecord[][] = [[], []];
  for (let n = 0; n < 400; n++) {
    const space = random.int(4);
    const key = `${bytes(60).toString('hex')}00`;
    for (const side of [0, 1] as const) {
      const value = someValue();
      const packer = packers[side];
      if (!packer.fits(key, value)) packed[side]!.push(packer.take());
      if (side === 0) packer.add(space, key, value);
      else packer.addAfter(packers[0], value);
      given[side]!.push({ space, key, value });
    }
  }
  for (const side of [0, 1] as const) {
    packed[side]!.push(packers[side].take());
    expect([seed, packed[side]!.flatMap((chunk) => [...unpackRecords(chunk)])]).toEqual([seed, given[side]]);
  }
});
