import { clmmPrices, whirlpoolPrices } from '#libs/chain/amm/q64/tick-price.js';
import { quoteDepth } from '#libs/chain/amm/quote-depth.js';
import { sqrtRatioAtTick } from '#libs/chain/amm/tick-math.js';
import type { KnownAccounts, SolanaAccount } from '#libs/chain/chains/solana/accounts.js';
import type { PoolRanges, SolanaPoolRanges } from '#libs/chain/market-ports/solana/pool-ranges.js';
import { propertySeeds, SeededRandom, scaled } from '#libs/devkit/testing/seeded-random.js';
import type { TickRecord } from '#libs/protocol/blocks.js';
import { meteoraDlmmRanges } from './meteora-dlmm/ranges.js';
import { randomPair } from './meteora-dlmm/test/random-pair.js';
import { orcaWhirlpoolRanges } from './orca-whirlpool/ranges.js';
import * as whirlpool from './orca-whirlpool/test/accounts.js';
import { raydiumClmmRanges } from './raydium-clmm/ranges.js';
import * as clmm from './raydium-clmm/test/pool-world.js';

/** Where liquidity is, read from accounts of pools whose positions are known. */
const MOST = 98;
const HELD = 1n << 60n;

interface Positions {
  spacing: number;
  tick: number;
  liquidity: bigint;
  ticks: Map<number, { net: bigint; gross: bigint }>;
}

function randomPositions(random: SeededRandom, spacing: number): Positions {
  const tick = random.int(-40_000, 40_000);
  const ticks = new Map<number, { net: bigint; gross: bigint }>();
  let liquidity = 0n;
  for (let n = random.int(1, 40); n > 0; n--) {
    const reach = random.pick([spacing, 40 * spacing, 4_000 * spacing, 900 * 88 * spacing]);
    const place = (at: number) => Math.floor(Math.max(-443_000, Math.min(443_000, at)) / spacing) * spacing;
    const lower = place(tick + random.int(-reach, reach));
    const upper = place(lower + spacing * (1 + random.int(0, Math.ceil(reach / spacing))));
    if (lower >= upper) continue;
    const amount = BigInt(`0x${random.hex(8)}`) + 1n;
    for (const [at, net] of [[lower, amount] as const, [upper, -amount] as const]) {
      const { net: before, gross } = ticks.get(at) ?? { net: 0n, gross: 0n };
      ticks.set(at, { net: before + net, gross: gross + amount });
    }
    if (lower <= tick && tick < upper) liquidity += amount;
  }
  return { spacing, tick, liquidity, ticks };
}

/** As a source asks: until nothing more is needed. */
function readRanges(
  ranges: SolanaPoolRanges,
  pool: string,
  account: (address: string) => SolanaAccount | null,
  most: number,
): { read: PoolRanges | null; asked: KnownAccounts } {
  const asked = new Map([[pool, account(pool)]]);
  for (;;) {
    const missing = ranges.needs(pool, asked, most).filter((address) => !asked.has(address));
    if (missing.length === 0) return { read: ranges.read(pool, asked, most), asked };
    for (const address of missing) asked.set(address, account(address));
  }
}

const recordsOf = ({ ticks }: Positions): TickRecord[] =>
  [...ticks]
    .map(([tick, { net, gross }]) => ({ tick, liquidityGross: gross, liquidityNet: net }))
    .sort((a, b) => a.tick - b.tick);

function clmmAccounts(random: SeededRandom, positions: Positions): (address: string) => SolanaAccount | null {
  const world = { ...clmm.randomWorld(random, 30), ...positions, sqrtPrice: clmmPrices.at(positions.tick) };
  Object.assign(world, { orders: new Map(), vaults: [HELD, HELD] });
  const sdk = clmm.sdkAccountsOf(world);
  const known = clmm.accountsOf(world, sdk);
  for (const tick of positions.ticks.keys()) {
    const start = Math.floor(tick / (60 * positions.spacing)) * 60 * positions.spacing;
    known.set(clmm.arrayAddress(start), clmm.owned(sdk.array(start)));
  }
  return (address) => known.get(address) ?? null;
}

function whirlpoolAccounts(random: SeededRandom, positions: Positions): (address: string) => SolanaAccount | null {
  const { spacing, tick, liquidity, ticks } = positions;
  const pool = whirlpool.addressOf('pool');
  const data = whirlpool.poolData({
    ...{ tickSpacing: spacing, feeTierIndex: spacing, feeRate: 0, liquidity, tick },
    ...{ sqrtPrice: whirlpoolPrices.at(tick), protocolFeeA: 0n, protocolFeeB: 0n },
  });
  const known = new Map<string, SolanaAccount | null>([[pool, whirlpool.owned(data)]]);
  for (const side of [0, 1] as const)
    known.set(whirlpool.VAULTS[side], whirlpool.tokenAccount(whirlpool.MINTS[side], HELD));
  for (const used of ticks.keys()) {
    const start = Math.floor(used / (88 * spacing)) * 88 * spacing;
    const write = random.chance(0.5) ? whirlpool.fixedArrayData : whirlpool.growingArrayData;
    const fields = Array.from({ length: 88 }, (_, n) => ticks.get(start + n * spacing));
    known.set(whirlpool.tickArrayOf(pool, start), whirlpool.owned(write(pool, start, fields)));
  }
  return (address) => known.get(address) ?? null;
}

describe.each([
  ['Raydium CLMM', raydiumClmmRanges, clmm.POOL, clmmAccounts, [1, 10, 60, 120]],
  ['Orca Whirlpool', orcaWhirlpoolRanges, whirlpool.addressOf('pool'), whirlpoolAccounts, [1, 8, 64, 128]],
] as const)('%s', (_, ranges, pool, accountsOf, spacings) => {
  it('has all ticks that fit, and no more liquidity near the price than there is', () => {
    let [whole, cut] = [0, 0];
    for (const seed of propertySeeds(scaled(60, 10))) {
      const random = new SeededRandom(seed);
      const positions = randomPositions(random, random.pick(spacings));
      const account = accountsOf(random, positions);
      for (const most of [MOST, random.int(6, 14)]) {
        const { read, asked } = readRanges(ranges, pool, account, most);
        expect([seed, asked.size <= most + 1]).toEqual([seed, true]);
        const { liquidity, tick, sqrtPriceX96, ...rest } = read!;
        expect(rest).toMatchObject({ heldA: HELD, heldB: HELD });
        if (!('ticks' in liquidity)) throw new Error('no ticks');
        const real = recordsOf(positions);
        const state = { sqrtPriceX96: sqrtRatioAtTick(positions.tick), tick: positions.tick };
        for (const side of [true, false]) {
          const near = quoteDepth({ sqrtPriceX96, tick, liquidity: liquidity.active, ticks: liquidity.ticks }, side);
          const all = quoteDepth({ ...state, liquidity: positions.liquidity, ticks: real }, side);
          expect([seed, near <= all + all / 1_000_000n + 1_000n]).toEqual([seed, true]);
        }
        const isWhole = JSON.stringify(liquidity.ticks, text) === JSON.stringify(real, text);
        if (isWhole) {
          whole++;
          // A price in fewer bits can be just below the tick that it is of.
          const active = real.filter((each) => each.tick <= tick).reduce((net, each) => net + each.liquidityNet, 0n);
          expect([seed, liquidity.active, positions.tick - tick <= 1]).toEqual([seed, active, true]);
        } else cut++;
        expect([seed, liquidity.ticks.reduce((net, each) => net + each.liquidityNet, 0n)]).toEqual([seed, 0n]);
      }
    }
    expect(Math.min(whole, cut)).toBeGreaterThan(0);
  });

  it('is not read where an account is missing or its ticks do not add up', () => {
    const random = new SeededRandom(7);
    const positions = randomPositions(random, spacings[3]);
    const account = accountsOf(random, positions);
    expect(readRanges(ranges, pool, account, MOST).read).not.toBeNull();
    const wrong = accountsOf(random, { ...positions, liquidity: positions.liquidity + 1n });
    expect(readRanges(ranges, pool, wrong, MOST).read).toBeNull();
    const { asked } = readRanges(ranges, pool, account, MOST);
    expect(ranges.read(pool, new Map([...asked].slice(0, -1)), MOST)).toBeNull();
    expect(ranges.read(pool, new Map(), MOST)).toBeNull();
  });
});

const text = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);

describe('Meteora DLMM', () => {
  it('says what the bins within half and twice the price hold, and never more', () => {
    let near = 0;
    for (const seed of propertySeeds(scaled(60, 10))) {
      const random = new SeededRandom(seed);
      const pair = randomPair(random);
      for (const side of ['x', 'y'] as const)
        pair.accounts.set(pair.reserves[side], whirlpool.tokenAccount(pair.mints[side], HELD));
      const { read } = readRanges(meteoraDlmmRanges, pair.address, (at) => pair.accounts.get(at) ?? null, MOST);
      const liquidity = read?.liquidity;
      if (liquidity === undefined || 'ticks' in liquidity) throw new Error(`seed ${seed}: not read`);
      expect([seed, liquidity.nearA <= pair.total.x, liquidity.nearB <= pair.total.y]).toEqual([seed, true, true]);
      if (liquidity.nearA > 0n && liquidity.nearB > 0n) near++;
    }
    expect(near).toBeGreaterThan(0);
  });
});
