import { decodeFunctionResult, encodeFunctionData, type Hex, parseAbi } from 'viem';
import { sqrtRatioAtTick, tickAtSqrtRatio } from '#libs/chain/amm/tick-math.js';
import { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import { testScale as SCALE } from '#libs/devkit/testing/seeded-random.js';
import { headerHash, logsBloom, receiptsRoot } from './block-hash.js';
import { ChainBuilder } from './chain-builder.js';
import type { ConcentratedState } from './market-state.js';
import { OFFICIAL } from './official-addresses.js';
import { FOREIGN_V2_FACTORY } from './traffic.js';

const HISTORIES = Math.max(3, Math.round(30 * SCALE));

/** Runs a check over seeded histories with reorgs; a failure names its seed. */
function overHistories(check: (chain: ChainBuilder, random: SeededRandom) => void): void {
  for (let seed = 1; seed <= HISTORIES; seed++) {
    try {
      const random = new SeededRandom(seed * 7919);
      const chain = new ChainBuilder({ seed });
      for (let i = 0; i < 12; i++) {
        chain.mine(random.between(1, 12));
        if (random.chance(0.5)) chain.reorg(random.between(1, Math.min(20, chain.head.number - 3)));
      }
      check(chain, random);
    } catch (error) {
      throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error });
    }
  }
}

test('blocks link, and their hashes, roots and blooms hold', () => {
  overHistories((chain) => {
    let parent = `0x${'0'.repeat(64)}`;
    for (const block of chain.canonicalBlocks()) {
      expect(block.parentHash).toBe(parent);
      expect(`0x${headerHash(block.header)}`).toBe(block.hash);
      expect(`0x${receiptsRoot(block.receipts)}`).toBe(block.header.receiptsRoot);
      expect(`0x${logsBloom(block.logs)}`).toBe(block.header.logsBloom);
      expect(block.logs.map(({ logIndex }) => Number(logIndex))).toEqual(block.logs.map((_, i) => i));
      expect(block.receipts.flatMap(({ logs }) => logs)).toEqual(block.logs);
      parent = block.hash;
    }
  });
});

test('the same seed and calls give the same chain, another seed another one', () => {
  const run = (seed: number) => {
    const chain = new ChainBuilder({ seed });
    chain.mine(20);
    chain.reorg(5);
    return chain.head.hash;
  };
  expect(run(11)).toBe(run(11));
  expect(run(11)).not.toBe(run(12));
});

test('token balances add up to the supply, and pair reserves never exceed what the pair holds', () => {
  overHistories((chain) => {
    for (const block of chain.canonicalBlocks()) {
      for (const token of block.state.tokens.values()) {
        let sum = 0n;
        for (const balance of token.balances.values()) {
          if (balance < 0n) throw new Error(`negative balance of ${token.spec.symbol}`);
          sum += balance;
        }
        if (sum !== token.supply) throw new Error(`${token.spec.symbol}: balances ${sum}, supply ${token.supply}`);
      }
      for (const pool of block.state.pools.values()) {
        if (pool.kind !== 'pair') continue;
        const held0 = block.state.balance(pool.token0, pool.address);
        const held1 = block.state.balance(pool.token1, pool.address);
        if (held0 < pool.reserve0 || held1 < pool.reserve1) throw new Error(`${pool.address} holds too little`);
      }
    }
  });
});

function checkConcentrated(pool: ConcentratedState): void {
  let inRange = 0n;
  const ticks = new Map<number, { gross: bigint; net: bigint }>();
  for (const { lower, upper, liquidity } of pool.positions.values()) {
    if (liquidity === 0n) continue;
    if (lower <= pool.tick && pool.tick < upper) inRange += liquidity;
    for (const [tick, sign] of [
      [lower, 1n],
      [upper, -1n],
    ] as const) {
      const known = ticks.get(tick) ?? { gross: 0n, net: 0n };
      ticks.set(tick, { gross: known.gross + liquidity, net: known.net + sign * liquidity });
    }
  }
  expect(pool.liquidity).toBe(inRange);
  expect(new Map(pool.ticks)).toEqual(ticks);
  // At an upper boundary that a falling price reached exactly, the tick is one below the price's own.
  const own = tickAtSqrtRatio(pool.sqrtPriceX96);
  expect(pool.tick === own || (pool.tick === own - 1 && sqrtRatioAtTick(own) === pool.sqrtPriceX96)).toBe(true);
}

test('concentrated pools: ticks and active liquidity follow from the positions', () => {
  let swaps = 0;
  overHistories((chain) => {
    for (const pool of chain.head.state.pools.values()) if (pool.kind === 'concentrated') checkConcentrated(pool);
    for (const block of chain.canonicalBlocks()) {
      for (const { topics } of block.logs) {
        if (topics[0]?.startsWith('0xc42079f9')) swaps++;
      }
    }
  });
  expect(swaps).toBeGreaterThan(HISTORIES * 10);
});

test('a reorg mines most transactions again under the same hash, and old blocks stay known', () => {
  let again = 0;
  let moved = 0;
  overHistories((chain) => {
    const before = chain.canonicalBlocks();
    const depth = Math.min(15, chain.head.number - 3);
    chain.reorg(depth, depth + 5);
    const dropped = before.slice(-depth);
    expect(dropped.every(({ hash }) => !chain.isCanonical(hash) && chain.blockByHash(hash) !== null)).toBe(true);
    const now = chain.canonicalBlocks(chain.head.number - depth - 4);
    const hashes = new Set(now.flatMap(({ transactions }) => transactions.map(({ hash }) => hash)));
    for (const block of dropped) {
      for (const { hash } of block.transactions) if (hashes.has(hash)) again++;
    }
    const all = chain.canonicalBlocks().flatMap(({ transactions }) => transactions.map(({ hash }) => hash));
    expect(new Set(all).size).toBe(all.length);
    // Back to the old branch, and to the new one again.
    const newHead = chain.head.hash;
    const oldHead = (dropped[dropped.length - 1] as { hash: string }).hash;
    chain.switchTo(oldHead);
    expect(chain.canonicalBlocks()).toEqual(before);
    chain.switchTo(newHead);
    expect(chain.head.hash).toBe(newHead);
    moved++;
  });
  expect(again).toBeGreaterThan(moved);
});

test('the listener sees one change per reorg', () => {
  const chain = new ChainBuilder({ seed: 2 });
  let calls = 0;
  const end = chain.onChange(() => calls++);
  chain.mine(3);
  chain.reorg(2);
  expect(calls).toBe(2);
  end();
  chain.mine();
  expect(calls).toBe(2);
});

describe('calls', () => {
  const abi = parseAbi([
    'struct Call3 { address target; bool allowFailure; bytes callData; }',
    'struct Result { bool success; bytes returnData; }',
    'function aggregate3(Call3[] calls) payable returns (Result[] results)',
    'function symbol() view returns (string)',
    'function decimals() view returns (uint8)',
    'function totalSupply() view returns (uint256)',
    'function balanceOf(address) view returns (uint256)',
    'function factory() view returns (address)',
    'function token0() view returns (address)',
    'function token1() view returns (address)',
    'function fee() view returns (uint24)',
    'function getReserves() view returns (uint112, uint112, uint32)',
    'function slot0() view returns (uint160, int24, uint16, uint16, uint16, uint8, bool)',
    'function liquidity() view returns (uint128)',
    'function tickBitmap(int16) view returns (uint256)',
    'function ticks(int24) view returns (uint128, int128, uint256, uint256, int56, uint160, uint32, bool)',
    'function getPair(address, address) view returns (address)',
    'function getPool(address, address, uint24) view returns (address)',
  ]);
  type Name = Exclude<(typeof abi)[number]['name'], 'Call3' | 'Result'>;

  function read(chain: ChainBuilder, to: string, functionName: Name, args: unknown[] = [], at = chain.head): unknown {
    const data = encodeFunctionData({ abi, functionName, args } as never);
    return decodeFunctionResult({ abi, functionName, data: chain.call(to, data, at) as Hex } as never);
  }

  test('tokens, pairs, pools and factories answer as the contracts do, at any block', () => {
    const chain = new ChainBuilder({ seed: 5 });
    chain.mine(150);
    expect(read(chain, OFFICIAL.usdc, 'symbol')).toBe('USDC');
    expect(read(chain, OFFICIAL.usdc, 'decimals')).toBe(6);
    const early = chain.blockByNumber(10);
    if (!early) throw new Error('no block 10');
    let compared = 0;
    for (const block of [early, chain.head]) {
      for (const pool of block.state.pools.values()) {
        const held = block.state.balance(pool.token0, pool.address);
        expect(read(chain, pool.token0, 'balanceOf', [pool.address], block)).toBe(held);
        expect((read(chain, pool.address, 'token0', [], block) as string).toLowerCase()).toBe(pool.token0);
        expect((read(chain, pool.address, 'token1', [], block) as string).toLowerCase()).toBe(pool.token1);
        expect((read(chain, pool.address, 'factory', [], block) as string).toLowerCase()).toBe(pool.factory);
        const tokens = [pool.token1, pool.token0];
        if (pool.kind === 'pair') {
          const reserves = read(chain, pool.address, 'getReserves', [], block) as bigint[];
          expect(reserves.slice(0, 2)).toEqual([pool.reserve0, pool.reserve1]);
          const confirmed = (read(chain, pool.factory, 'getPair', tokens, block) as string).toLowerCase();
          expect(confirmed === pool.address).toBe(pool.registered);
        } else {
          const [price, tick] = read(chain, pool.address, 'slot0', [], block) as [bigint, number];
          expect([price, tick]).toEqual([pool.sqrtPriceX96, pool.tick]);
          expect(read(chain, pool.address, 'liquidity', [], block)).toBe(pool.liquidity);
          const confirmed = read(chain, pool.factory, 'getPool', [...tokens, pool.fee], block) as string;
          expect(confirmed.toLowerCase()).toBe(pool.address);
          for (const [tickAt, info] of pool.ticks) {
            const [gross, net] = read(chain, pool.address, 'ticks', [tickAt], block) as [bigint, bigint];
            expect([gross, net]).toEqual([info.gross, info.net]);
            const compressed = tickAt / pool.tickSpacing;
            const bitmap = read(chain, pool.address, 'tickBitmap', [Math.floor(compressed / 256)], block) as bigint;
            expect((bitmap >> BigInt(((compressed % 256) + 256) % 256)) & 1n).toBe(1n);
          }
        }
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(40);
  });

  test('multicall3 keeps failures apart', () => {
    const chain = new ChainBuilder({ seed: 5 });
    const mute = [...chain.head.state.tokens.values()].find(({ spec }) => spec.behaviour === 'mute');
    if (!mute) throw new Error('no mute token');
    const symbol = encodeFunctionData({ abi, functionName: 'symbol' });
    const calls = [OFFICIAL.weth, mute.spec.address, '0x00000000000000000000000000000000000000ee'].map((target) => ({
      target: target as Hex,
      allowFailure: true,
      callData: symbol,
    }));
    const results = read(chain, OFFICIAL.multicall3, 'aggregate3', [calls]) as { success: boolean; returnData: Hex }[];
    expect(results.map(({ success }) => success)).toEqual([true, false, true]);
    expect(results[2]?.returnData).toBe('0x');
    const first = results[0]?.returnData as Hex;
    expect(decodeFunctionResult({ abi, functionName: 'symbol', data: first })).toBe('WETH');
  });

  test('the traffic holds what a source must not fall for', () => {
    const seen = new Set<string>();
    for (let seed = 1; seed <= 6; seed++) {
      const chain = new ChainBuilder({ seed });
      chain.mine(200);
      for (const pool of chain.head.state.pools.values()) {
        if (!pool.registered) seen.add('unconfirmed pool');
        if (pool.factory === FOREIGN_V2_FACTORY) seen.add('foreign factory');
      }
      for (const block of chain.canonicalBlocks()) {
        if (block.receipts.some(({ status }) => status === '0x0')) seen.add('reverted transaction');
        for (const { topics } of block.logs) {
          if (topics.length === 4 && topics[0]?.startsWith('0xddf252ad')) seen.add('NFT transfer');
        }
      }
    }
    expect([...seen].sort()).toEqual(['NFT transfer', 'foreign factory', 'reverted transaction', 'unconfirmed pool']);
  });
});

test('scripted blocks hold exactly the given calls', () => {
  const chain = new ChainBuilder({ seed: 9 });
  const [from, to] = chain.wallets as [string, string];
  const amount = 12_345n;
  const block = chain.mineCalls([{ from, call: { do: 'transfer', token: OFFICIAL.usdc, to, amount } }]);
  expect(block.logs).toHaveLength(1);
  expect(BigInt(block.logs[0]?.data ?? '0x0')).toBe(amount);
  expect(block.transactions[0]?.from).toBe(from);
});
