import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  expectLeastInput,
  expectNoThrow,
  QuoteWorld,
  readPool,
} from '#libs/chain/market-ports/solana/test/quote-world.js';
import { propertySeeds, SeededRandom, scaled } from '#libs/devkit/testing/seeded-random.js';
import { raydiumV4Pools } from './quote.js';
import { BN, Liquidity, liquidityStateV4Layout, poolIn } from './test/pool.js';

const { swaps } = JSON.parse(
  readFileSync(join(process.cwd(), 'libs/chain/venues/raydium-v4/fixtures/swaps.json'), 'utf8'),
) as { swaps: Record<string, string>[] };

describe('quotes of Raydium AMM v4', () => {
  it('are those of the swaps recorded on mainnet, to the unit, every one of them', () => {
    expect(swaps).toHaveLength(52);
    const world = new QuoteWorld(new SeededRandom(4));
    for (const swap of swaps) {
      const toTake: [bigint, bigint] = [world.below(1n << 40n), world.below(1n << 40n)];
      const coin = BigInt(swap.pool_coin_before!);
      const pc = BigInt(swap.pool_pc_before!);
      const pool = poolIn(world, { coin: coin + toTake[0], pc: pc + toTake[1], toTake });
      const state = readPool(raydiumV4Pools, pool, world)!;
      expect([state.reserveA, state.reserveB, state.spot]).toEqual([coin, pc, { numerator: pc, denominator: coin }]);
      const aToB = String(swap.direction) === '2';
      const quote = state.exactIn(aToB, BigInt(swap.amount_in!))!;
      expect({ ...swap, out_amount: String(quote.amountOut) }).toEqual(swap);
      expect(quote.fee).toBe((BigInt(swap.amount_in!) * 25n + 9_999n) / 10_000n);
      expectLeastInput(state, aToB, quote.amountOut);
    }
  });

  it('agree with the SDK on random pools, and an exact output costs the least input', () => {
    let compared = 0;
    let least = 0;
    let tooLittle = 0;
    for (const seed of propertySeeds(scaled(1_000, 50))) {
      const world = new QuoteWorld(new SeededRandom(seed));
      const toTake: [bigint, bigint] = [world.amount(40), world.amount(40)];
      const [coin, pc] = [world.amount(60), world.amount(60)];
      const pool = poolIn(world, { coin: coin + toTake[0], pc: pc + toTake[1], toTake });
      const state = readPool(raydiumV4Pools, pool, world)!;
      const decoded = liquidityStateV4Layout.decode(Buffer.from(world.known.get(pool)!.data));
      const mintA = { address: decoded.baseMint.toBase58(), decimals: 9 };
      const mintB = { address: decoded.quoteMint.toBase58(), decimals: 6 };
      const poolInfo = {
        version: 4,
        mintA,
        mintB,
        baseReserve: new BN(String(coin + toTake[0])).sub(decoded.baseNeedTakePnl),
        quoteReserve: new BN(String(pc + toTake[1])).sub(decoded.quoteNeedTakePnl),
      };
      const sdk = Object.assign(Object.create(Liquidity.prototype), { logDebug: () => undefined });
      for (const aToB of [true, false]) {
        const sides = aToB ? [mintA, mintB] : [mintB, mintA];
        const asked = { poolInfo, slippage: 0, mintIn: sides[0]!.address, mintOut: sides[1]!.address };
        const amountIn = world.amount(60);
        const theirs = sdk.computeAmountOut({ ...asked, amountIn: new BN(String(amountIn)) });
        const ours = state.exactIn(aToB, amountIn);
        // The SDK takes a fee of 1 from any amount; the program's checked_ceil_div none where it is below one half.
        if (2n * amountIn * 25n < 10_000n) continue;
        expect({ seed, aToB, amountIn, out: ours?.amountOut ?? 0n }).toEqual({
          seed,
          aToB,
          amountIn,
          out: BigInt(theirs.amountOut.toString()),
        });
        if (ours !== null) expect(ours.fee).toBe(BigInt(theirs.fee.toString()));
        compared++;
        const wanted = world.below(aToB ? pc : coin) + 1n;
        // One that costs so little pays the fee of 1 that its exact input does not.
        if ((state.exactOut(aToB, wanted)?.amountIn ?? 0n) <= 201n) continue;
        if (!expectLeastInput(state, aToB, wanted)) continue;
        least++;
        // The SDK rounds an exact output's cost down; the program (math.rs: checked_ceil_div) does not.
        const cost = sdk.computeAmountIn({ ...asked, amountOut: new BN(String(wanted)) });
        const paid = state.exactIn(aToB, BigInt(cost.amountIn.toString()));
        if ((paid?.amountOut ?? 0n) < wanted) tooLittle++;
      }
    }
    expect(least).toBeGreaterThan(compared / 2);
    expect(tooLittle).toBeGreaterThan(0);
  });

  it('take no fee below half a unit from an input, and refuse an output that is worth less than half a unit', () => {
    const world = new QuoteWorld(new SeededRandom(3));
    const reserves = { coin: 1_000_000_000n, pc: 1_000_000_000n };
    const even = readPool(raydiumV4Pools, poolIn(world, reserves), world)!;
    const fees = [1n, 199n, 200n, 400n, 401n].map((amountIn) => even.exactIn(true, amountIn)?.fee ?? 0n);
    expect(fees).toEqual([0n, 0n, 1n, 1n, 2n]);
    expect(even.exactIn(true, 199n)).toMatchObject({ amountOut: 198n, fee: 0n });
    // The program: 100 before the fee, checked_ceil_div(100 * 10000, 9975) is 101.
    expect(even.exactOut(true, 99n)).toMatchObject({ amountIn: 101n, amountOut: 99n });
    const steep = readPool(raydiumV4Pools, poolIn(world, { coin: 1_000n, pc: 1_000_000n }), world)!;
    expect([499n, 500n].map((out) => steep.exactOut(true, out)?.amountIn ?? null)).toEqual([null, 2n]);
  });

  it('take their fee from the account, and count no trade before the pool opens or while it is closed', () => {
    const world = new QuoteWorld(new SeededRandom(1));
    const shape = { coin: 1_000_000n, pc: 1_000_000n };
    const half = poolIn(world, { ...shape, fee: [1n, 2n] });
    expect(readPool(raydiumV4Pools, half, world)!.exactIn(true, 1_000n)).toEqual({
      amountIn: 1_000n,
      amountOut: 499n,
      fee: 500n,
      feeSide: 'input',
    });
    expect(raydiumV4Pools.identity(world.known.get(half)!.data)).toMatchObject({ feePpm: 500_000, spacing: 0 });
    const at = (unixTime: bigint) => ({ slot: 1n, unixTime });
    const waiting = poolIn(world, { ...shape, status: 7n, openTime: 100n });
    expect(readPool(raydiumV4Pools, waiting, world, at(99n))).toBeNull();
    expect(readPool(raydiumV4Pools, waiting, world, at(100n))).not.toBeNull();
    for (const status of [2n, 3n, 4n, 5n]) {
      expect(readPool(raydiumV4Pools, poolIn(world, { ...shape, status }), world)).toBeNull();
    }
    for (const status of [0n, 8n]) {
      const pool = poolIn(world, { ...shape, status });
      expect(raydiumV4Pools.identity(world.known.get(pool)!.data)).toBeNull();
    }
  });

  it('of a pool with an order book need its account there to be empty', () => {
    const world = new QuoteWorld(new SeededRandom(2));
    const pool = poolIn(world, { coin: 5_000n, pc: 5_000n, status: 1n });
    const orders = raydiumV4Pools.needs(pool, world.known)[2]!;
    expect(readPool(raydiumV4Pools, pool, world)).not.toBeNull();
    const data = Buffer.alloc(3228);
    data.write('serum');
    world.put(orders, world.key(), data);
    expect(readPool(raydiumV4Pools, pool, world)).not.toBeNull();
    for (const at of [85, 101]) {
      const filled = Buffer.from(data);
      filled.writeBigUInt64LE(1n, at);
      world.put(orders, world.key(), filled);
      expect(readPool(raydiumV4Pools, pool, world)).toBeNull();
    }
    world.put(orders, world.key(), data.subarray(0, 100));
    expect(readPool(raydiumV4Pools, pool, world)).toBeNull();
  });

  it('are null for malformed accounts and amounts, and no account throws', () => {
    const world = new QuoteWorld(new SeededRandom(3));
    const pool = poolIn(world, { coin: 1n << 50n, pc: 1n << 40n });
    expectNoThrow(raydiumV4Pools, pool, world);
    const state = readPool(raydiumV4Pools, pool, world)!;
    for (const amount of [-1n, 0n, 1n << 64n]) {
      expect([state.exactIn(true, amount), state.exactOut(true, amount)]).toEqual([null, null]);
    }
    expect(state.exactOut(true, 1n << 40n)).toBeNull();
    expect(raydiumV4Pools.needs(world.key(), new Map())).toEqual([]);
  });
});
