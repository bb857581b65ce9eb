import { encodeBase58 } from '#libs/core/base58.js';
import { MalformedTransactionError } from './malformed.js';
import { readWire } from './wire.js';

const fill = (byte: number, count: number): string => byte.toString(16).padStart(2, '0').repeat(count);

/** As the public SDK serializes version 1: every configuration value, two instructions, one signer that has signed. */
const V1 = `810100020f000000${fill(7, 32)}0204${fill(1, 32)}${fill(2, 32)}${fill(9, 32)}${fill(3, 32)}3930000000000000400d0300000001000203030002012c0101030001020300${fill(0xab, 300)}${fill(0, 64)}`;

describe('serialized transactions', () => {
  it('of version 1 give keys, instructions and the signature at their end', () => {
    const bytes = Buffer.from(V1, 'hex');
    expect(bytes).toHaveLength(565);
    const { keys, signerCount, instructions, signatures } = readWire(bytes, 'transaction');
    expect(keys).toEqual([1, 2, 9, 3].map((byte) => encodeBase58(Buffer.alloc(32, byte))));
    expect(signerCount).toBe(1);
    expect(instructions.map(({ program, accounts, data }) => [program, accounts, data.length])).toEqual([
      [2, [1, 3, 0], 3],
      [2, [0], 300],
    ]);
    expect(signatures).toEqual([encodeBase58(Buffer.alloc(64))]);
  });

  it('that end early or have an unknown version are refused', () => {
    const bytes = Buffer.from(V1, 'hex');
    for (let length = 0; length < bytes.length; length++) {
      expect(() => readWire(bytes.subarray(0, length), 'transaction')).toThrow(MalformedTransactionError);
    }
    expect(() => readWire(Buffer.from([0, 0x85, 1]), 'transaction')).toThrow('message version 5 is not known');
  });
});
