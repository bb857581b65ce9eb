import { suggestFees } from './fees.js';

const history = (result: unknown) => ({ result });
const GWEI = 10n ** 9n;
const hex = (value: bigint): string => `0x${value.toString(16)}`;

describe('the fee suggestion', () => {
  const suggestion = history(hex(3n * GWEI));

  it('is twice the next base fee and the middle tip of the blocks that had any', () => {
    const blocks = {
      baseFeePerGas: [hex(10n), hex(20n), hex(30n), hex(40n)],
      gasUsedRatio: [0.5, 0, 0.9],
      reward: [[hex(7n)], [hex(1n)], [hex(9n)]],
    };
    expect(suggestFees([history(blocks), suggestion], 30n)).toEqual({
      maxFeePerGas: 89n,
      maxPriorityFeePerGas: 9n,
    });
  });

  it('takes zero tips at their word where blocks carried transactions', () => {
    const blocks = { baseFeePerGas: ['0x64', '0x64'], gasUsedRatio: [0.1], reward: [['0x0']] };
    expect(suggestFees([history(blocks), suggestion], 100n)).toEqual({ maxFeePerGas: 200n, maxPriorityFeePerGas: 0n });
  });

  it('falls back on the node’s own tip for empty blocks, and on nothing where it has none', () => {
    const blocks = { baseFeePerGas: ['0x0', '0x0'], gasUsedRatio: [0], reward: [['0x0']] };
    const tip = 3n * GWEI;
    expect(suggestFees([history(blocks), suggestion], 0n)).toEqual({ maxFeePerGas: tip, maxPriorityFeePerGas: tip });
    for (const odd of [null, undefined, [], 'x', { baseFeePerGas: 7, reward: [[]] }]) {
      expect(suggestFees([history(odd), history(null)], 50n)).toEqual({
        maxFeePerGas: 100n,
        maxPriorityFeePerGas: 0n,
      });
    }
  });
});
