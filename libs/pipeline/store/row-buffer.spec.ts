import { SeededRandom, scaled, testSeed } from '#libs/devkit/testing/seeded-random.js';
import { ByteWriter } from '#libs/protocol/codec/byte-writer.js';
import { RowBuffer } from './row-buffer.js';
import { seeded } from './test/seeded.js';

/** Little-endian two's complement, byte by byte. */
function little(value: bigint, bytes: number): number[] {
  const wrapped = BigInt.asUintN(bytes * 8, value);
  return Array.from({ length: bytes }, (_, i) => Number((wrapped >> BigInt(i * 8)) & 0xffn));
}

function written(write: (row: RowBuffer) => void): number[] {
  const row = new RowBuffer(1);
  write(row);
  return [...row.take()];
}

describe('RowBuffer', () => {
  it('writes integers of any size in the engine’s form', async () => {
    const seed = testSeed();
    const random = new SeededRandom(seed);
    await seeded(seed, async () => {
      for (let i = 0; i < scaled(10_000); i++) {
        const unsigned = random.bits(256);
        const signed = random.chance(0.5) ? -random.bits(255) : random.bits(255);
        const price = random.chance(0.5) ? -random.bits(252) : random.bits(252);
        const volume = random.chance(0.5) ? -random.bits(126) : random.bits(126);
        const number = (random.chance(0.5) ? -1 : 1) * Math.floor(random.next() * 2 ** random.below(54));
        expect(written((row) => row.uint256(unsigned))).toEqual(little(unsigned, 32));
        expect(written((row) => row.int256(signed))).toEqual(little(signed, 32));
        expect(written((row) => row.decimal256(price))).toEqual(little(price, 32));
        expect(written((row) => row.decimal128(volume))).toEqual(little(volume, 16));
        expect(written((row) => row.int64(number))).toEqual(little(BigInt(number), 8));
      }
    });
  });

  it.each([
    ['UInt256', (row: RowBuffer) => row.uint256(2n ** 256n)],
    ['UInt256', (row: RowBuffer) => row.uint256(-1n)],
    ['Int256', (row: RowBuffer) => row.int256(2n ** 255n)],
    ['Int256', (row: RowBuffer) => row.int256(-(2n ** 255n) - 1n)],
    ['UInt64', (row: RowBuffer) => row.uint64(-1)],
    ['Int64', (row: RowBuffer) => row.int64(2 ** 53)],
    ['Int64', (row: RowBuffer) => row.int64(1.5)],
    ['UInt32', (row: RowBuffer) => row.uint32(2 ** 32)],
    ['UInt32', (row: RowBuffer) => row.uint32(Number.NaN)],
    ['UInt8', (row: RowBuffer) => row.uint8(256)],
    ['Int32', (row: RowBuffer) => row.int32(2 ** 31)],
    ['id', (row: RowBuffer) => row.hex('abc')],
    ['id', (row: RowBuffer) => row.hex('0g')],
    ['id', (row: RowBuffer) => row.hex('AB')],
    ['id', (row: RowBuffer) => row.hex('é0')],
  ])('refuses what a %s column cannot hold', (type, write) => {
    expect(() => write(new RowBuffer())).toThrow(`not a ${type}`);
  });

  it('holds the limits of every type', () => {
    expect(written((row) => row.uint256(2n ** 256n - 1n))).toEqual(new Array(32).fill(255));
    expect(written((row) => row.int256(-(2n ** 255n)))).toEqual([...new Array(31).fill(0), 128]);
    expect(written((row) => row.int32(-(2 ** 31)))).toEqual([0, 0, 0, 128]);
    expect(written((row) => row.int64(-(2 ** 53) + 1))).toEqual(little(-(2n ** 53n) + 1n, 8));
  });

  it('copies signed amounts and texts from the bytes of a group, and refuses what an Int256 cannot hold', async () => {
    const seed = testSeed();
    const random = new SeededRandom(seed);
    const placed = (value: bigint) => {
      const out = new ByteWriter();
      out.u8(0);
      out.signed(value);
      return written((row) => row.placedSigned(out.written(), 1));
    };
    await seeded(seed, async () => {
      const edges = [0n, 1n, -1n, 2n ** 248n, -(2n ** 248n), 2n ** 255n - 1n, -(2n ** 255n), -(2n ** 255n) + 1n];
      const values = Array.from({ length: scaled(2_000) }, () => random.bits(random.below(256)));
      for (const value of [...edges, ...values, ...values.map((value) => -value)]) {
        expect(placed(value)).toEqual(little(value, 32));
      }
    });
    for (const value of [2n ** 255n, 2n ** 256n, -(2n ** 255n) - 1n, -(2n ** 255n) * 3n]) {
      expect(() => placed(value)).toThrow('not a Int256');
    }
    for (const text of ['', 'é🌊', 'x'.repeat(127), 'x'.repeat(128), 'x'.repeat(20_000)]) {
      const out = new ByteWriter();
      out.u8(0);
      out.text(text);
      expect(written((row) => row.placedText(out.written(), 1))).toEqual(written((row) => row.text(text)));
    }
  });

  it('writes ids and texts with their length, and grows', () => {
    expect(written((row) => row.hex('00ff10'))).toEqual([3, 0, 255, 16]);
    expect(written((row) => row.hex(''))).toEqual([0]);
    const text = 'é🌊'.repeat(100);
    const bytes = [...Buffer.from(text)];
    expect(written((row) => row.text(text))).toEqual([(bytes.length & 0x7f) | 0x80, bytes.length >> 7, ...bytes]);
    const row = new RowBuffer(1);
    for (let i = 0; i < 5_000; i++) row.uint32(i);
    const all = row.take();
    expect(all.length).toBe(20_000);
    expect(all.readUInt32LE(4 * 4_321)).toBe(4_321);
  });

  it('writes a text the same the first time and later', () => {
    const twice = written((row) => {
      row.text('uniswap-v2');
      row.text('uniswap-v3');
      row.text('uniswap-v2');
    });
    const one = [10, ...Buffer.from('uniswap-v2')];
    expect(twice).toEqual([...one, 10, ...Buffer.from('uniswap-v3'), ...one]);
  });
});
