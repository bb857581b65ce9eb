import type { PoolCopy, PoolCopyMark } from '../../pool-copy.js';

/** A copy of every kind of pool and a mark. Their bytes are fixtures: version 1 decodes them for ever. */
const usdc = 'a0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
const weth = 'c02aaa39b223fe8d0a0e5c4f27ead9083c756cc2';
const pair = 'b4e16d0168e52d35cacd2c6185b44281ec28c9dc';
const pool = '88e6a0c2ddd26feeb64f039a2c41296fcb3f5640';

export const goldenPoolCopies: Record<string, PoolCopy> = {
  'constant-product': {
    seq: 4711,
    record: {
      pool: pair,
      venue: 'uniswap-v2',
      kind: 'constant-product',
      token0: usdc,
      token1: weth,
      feePpm: 3000,
      tickSpacing: 0,
      created: true,
    },
    state: {
      pool: pair,
      reserve0: 50_000_000_000_000n,
      reserve1: 25_000n * 10n ** 18n,
      concentrated: null,
      anchored: true,
      setApart: null,
    },
  },
  concentrated: {
    seq: 2 ** 40,
    record: {
      pool,
      venue: 'uniswap-v3',
      kind: 'concentrated',
      token0: usdc,
      token1: weth,
      feePpm: 500,
      tickSpacing: 10,
      created: false,
    },
    state: {
      pool,
      reserve0: 1n,
      reserve1: 2n ** 255n,
      concentrated: {
        sqrtPriceX96: 1_350_174_849_792_634_181_862_360_983_626_536n,
        tick: -194_866,
        liquidity: 8_843_000_000_000_000_000n,
        ticks: [
          { tick: -887_270, liquidityGross: 1000n, liquidityNet: 1000n },
          { tick: 887_270, liquidityGross: 1000n, liquidityNet: -1000n },
        ],
        ticksComplete: true,
      },
      anchored: false,
      setApart: null,
    },
  },
};

export const goldenPoolMark: PoolCopyMark = {
  seq: 4711,
  height: 19_000_000,
  hash: 'ab'.repeat(32),
  time: 1_700_000_000_000,
};
