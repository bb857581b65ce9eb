import type { BlocksGroup, ReferenceSet } from '../../blocks.js';
import type { FactsGroup } from '../../facts.js';

/** One group of every kind with every record in it. Their bytes are fixtures. */
const usdc = 'a0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
const weth = 'c02aaa39b223fe8d0a0e5c4f27ead9083c756cc2';
const pair = 'b4e16d0168e52d35cacd2c6185b44281ec28c9dc';
const pool = '88e6a0c2ddd26feeb64f039a2c41296fcb3f5640';
const wallet = '11'.repeat(20);
const envelope = {
  chain: 'eth',
  epoch: 3,
  seq: 4711,
  height: 19_000_000,
  hash: 'ab'.repeat(32),
  parentHash: 'cd'.repeat(32),
  time: 1_700_000_000_000,
};
const facts = { ...envelope, inputHash: 'ef'.repeat(16) };

const reference: ReferenceSet = {
  family: 'evm',
  genesisHash: '77'.repeat(32),
  startHeight: 18_999_999,
  decoderVersion: 1,
  coin: { token: weth, symbol: 'WETH', decimals: 18 },
  stables: [usdc],
  rules: { minQuoteUsd: 10, depegBps: 100, spotFactor: 10, dustCents: 1 },
};
const tokens = [
  { token: usdc, decimals: 6, symbol: 'USDC', name: 'USD Coin', totalSupply: 25_000_000_000_000_000n },
  { token: weth, decimals: null, symbol: null, name: null, totalSupply: null },
];
const pools = [
  {
    pool: pair,
    venue: 'uniswap-v2',
    kind: 'constant-product' as const,
    token0: usdc,
    token1: weth,
    feePpm: 3000,
    tickSpacing: 0,
    created: true,
  },
  {
    pool,
    venue: 'uniswap-v3',
    kind: 'concentrated' as const,
    token0: usdc,
    token1: weth,
    feePpm: 500,
    tickSpacing: 10,
    created: false,
  },
];
const concentrated = {
  sqrtPriceX96: 1_350_174_849_792_634_181_862_360_983_626_536n,
  tick: 194_866,
  liquidity: 8_843_000_000_000_000_000n,
  ticks: [
    { tick: -887_270, liquidityGross: 1000n, liquidityNet: 1000n },
    { tick: 887_270, liquidityGross: 1000n, liquidityNet: -1000n },
  ],
};
const poolStates = [
  {
    pool: pair,
    reserve0: 50_000_000_000_000n,
    reserve1: 25_000n * 10n ** 18n,
    concentrated: null,
    anchored: true,
    setApart: null,
  },
  {
    pool,
    reserve0: 1n,
    reserve1: 2n ** 255n,
    concentrated: { ...concentrated, ticksComplete: true },
    anchored: false,
    setApart: null,
  },
];
const prices = [
  { token: weth, pool: pair, quote: usdc, spot: 2000n * 10n ** 36n, level: 1, backing: '18;0' },
  { token: wallet, pool: null, quote: null, spot: null, level: 4, backing: null },
];
const references = [
  { token: weth, usd: 2000n * 10n ** 36n },
  { token: usdc, usd: null },
];

export const goldenBlocks: Record<string, BlocksGroup> = {
  epoch: { kind: 'epoch', ...envelope, seq: 0, height: -1, hash: '', parentHash: '', reference },
  block: {
    kind: 'block',
    ...envelope,
    source: 'stream',
    observedAt: 1_700_000_000_321,
    txs: [
      { id: '01'.repeat(32), index: 3, sender: wallet },
      { id: '02'.repeat(32), index: 150, sender: wallet },
    ],
    tokens,
    pools,
    events: [
      { kind: 'initialize', tx: 0, ordinal: 2, pool, sqrtPriceX96: concentrated.sqrtPriceX96, tick: 194_866 },
      {
        kind: 'liquidity',
        tx: 0,
        ordinal: 3,
        pool,
        owner: wallet,
        tickLower: -887_270,
        tickUpper: 887_270,
        liquidityDelta: 1000n,
        amount0: 5n,
        amount1: 0n,
      },
      { kind: 'transfer', tx: 1, ordinal: 300, token: usdc, from: wallet, to: pair, amount: 2_000_000_000n },
      { kind: 'reserves', tx: 1, ordinal: 301, pool: pair, reserve0: 50_000_000_000_000n, reserve1: 2n ** 112n - 1n },
      {
        kind: 'swap',
        tx: 1,
        ordinal: 302,
        pool: pair,
        amount0: 2_000_000_000n,
        amount1: -(10n ** 18n),
        sender: wallet,
        recipient: pool,
        after: null,
      },
      {
        kind: 'swap',
        tx: 1,
        ordinal: 303,
        pool,
        amount0: -(2n ** 255n),
        amount1: 2n ** 255n - 1n,
        sender: wallet,
        recipient: wallet,
        after: { sqrtPriceX96: concentrated.sqrtPriceX96, liquidity: concentrated.liquidity, tick: -5 },
      },
      { kind: 'flow', tx: 1, ordinal: 304, pool, amount0: -7n, amount1: 0n },
    ],
    anchors: [
      { pool, reserve0: 1n, reserve1: 0n, concentrated },
      { pool: pair, reserve0: 2n, reserve1: 3n, concentrated: null },
    ],
  },
  extras: {
    kind: 'block',
    ...envelope,
    source: 'http',
    observedAt: 1_700_000_000_500,
    txs: [{ id: '01'.repeat(32), index: 7, sender: wallet }],
    ...{ tokens: [], pools: [], events: [], anchors: [] },
    samples: [
      { token: weth, wallet, amount: 10n ** 18n },
      { token: usdc, wallet, amount: 0n },
    ],
    logs: [
      { tx: 0, ordinal: 4, address: pool, topics: ['05'.repeat(32), '06'.repeat(32)], data: '07'.repeat(96) },
      { tx: 0, ordinal: 300, address: pair, topics: [], data: '' },
    ],
  },
  retract: { kind: 'retract', ...envelope, fromSeq: 4700 },
  finalize: { kind: 'finalize', ...envelope, finalizedHeight: 18_999_936 },
};

export const goldenFacts: Record<string, FactsGroup> = {
  epoch: { kind: 'epoch', ...facts, seq: 0, height: -1, hash: '', parentHash: '', reference },
  block: {
    kind: 'block',
    ...facts,
    trades: [true, false].map((counted, i) => ({
      ordinal: 302 + i,
      txOrdinal: i,
      tx: '02'.repeat(32),
      wallet,
      sender: wallet,
      pool: counted ? pair : pool,
      venue: counted ? 'uniswap-v2' : 'uniswap-v3',
      base: weth,
      quote: usdc,
      baseDecimals: 18,
      quoteDecimals: 6,
      side: counted ? 'buy' : 'sell',
      baseAmount: 10n ** 18n,
      quoteAmount: 2_000_000_000n,
      priceUsd: counted ? 2000n * 10n ** 36n : null,
      coinUsd: 2000n * 10n ** 36n,
      volumeUsd: counted ? 2000n * 10n ** 18n : null,
      volumeCoin: counted ? 10n ** 18n : null,
      uncounted: counted ? null : 'unknown',
    })),
    transfers: [{ ordinal: 300, tx: '02'.repeat(32), token: usdc, from: wallet, to: pair, amount: 2_000_000_000n }],
    tokens,
    pools,
    poolStates,
    prices,
    references,
  },
  retract: {
    kind: 'retract',
    ...facts,
    fromSeq: 4700,
    poolStates,
    prices,
    references,
    removedPools: [pool],
    removedTokens: [wallet, usdc],
  },
  finalize: { kind: 'finalize', ...facts, finalizedHeight: 18_999_936 },
};
