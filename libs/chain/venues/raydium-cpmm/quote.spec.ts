import {
  expectLeastInput,
  expectNoThrow,
  QuoteWorld,
  readPool,
} from '#libs/chain/market-ports/solana/test/quote-world.js';
import { propertySeeds, SeededRandom, scaled } from '#libs/devkit/testing/seeded-random.js';
import { raydiumCpmmPools } from './quote.js';
import { BN, bn, CurveCalculator, poolIn } from './test/pool.js';

describe('quotes of Raydium CPMM', () => {
  it('agree with the SDK on random pools, whichever side the creator is paid on, and an exact output costs the least input', () => {
    let compared = 0;
    let least = 0;
    let apart = 0;
    for (const seed of propertySeeds(scaled(1_000, 60))) {
      const world = new QuoteWorld(new SeededRandom(seed));
      const { random } = world;
      const reserves: [bigint, bigint] = [world.amount(60), world.amount(60)];
      const trade = random.chance(0.5) ? 2_500n : world.below(100_000n);
      const creator = random.chance(0.5) ? 500n : world.below(100_000n);
      const feeOn = random.int(0, 2);
      const enabled = random.chance(0.7);
      const owed = Array.from({ length: 6 }, () => world.amount(40));
      const state = readPool(
        raydiumCpmmPools,
        poolIn(world, { reserves, owed, trade, creator, feeOn, enabled }),
        world,
      )!;
      expect([state.reserveA, state.reserveB]).toEqual(reserves);
      const rate = enabled ? creator : 0n;
      for (const aToB of [true, false]) {
        const [reserveIn, reserveOut] = aToB ? reserves : [reserves[1], reserves[0]];
        const onInput = feeOn === 0 || (feeOn === 1) === aToB;
        const ask = (
          side: 'swapBaseInput' | 'swapBaseOutput',
          amount: bigint,
          tradeRate: bigint,
          creatorRate: bigint,
        ) =>
          CurveCalculator[side](
            bn(amount),
            bn(reserveIn),
            bn(reserveOut),
            bn(tradeRate),
            bn(creatorRate),
            new BN(120_000),
            new BN(40_000),
            onInput,
          );
        const at = { seed, aToB, onInput };
        const amountIn = world.amount(60);
        const ours = state.exactIn(aToB, amountIn);
        // On the input the program rounds trade and creator's fee up once, together (calculator.rs: `trading_fee` of the
        // sum of both rates); the SDK's exact input rounds each of them. With the sum as its one rate it is the program.
        const theirs = onInput
          ? ask('swapBaseInput', amountIn, trade + rate, 0n)
          : ask('swapBaseInput', amountIn, trade, rate);
        const out = BigInt(theirs.outputAmount.toString());
        expect({ ...at, amountIn, out: ours?.amountOut ?? 0n }).toEqual({ ...at, amountIn, out: out > 0n ? out : 0n });
        if (ours !== null && onInput) expect(ours.fee).toBe(BigInt(theirs.tradeFee.toString()));
        if (onInput) {
          const twice = BigInt(ask('swapBaseInput', amountIn, trade, rate).outputAmount.toString());
          // What is left then is one unit less, or the same.
          const net = amountIn - (amountIn * (trade + rate) + 999_999n) / 1_000_000n;
          if (net > 1n) {
            const [whole, less] = [net, net - 1n].map((left) => (reserveOut * left) / (reserveIn + left));
            const found = twice === whole || twice === less;
            expect({ ...at, amountIn, found }).toEqual({ ...at, amountIn, found: true });
          }
          if (twice !== out) apart++;
        }
        compared++;
        const wanted = world.below(reserveOut) + 1n;
        if (!expectLeastInput(state, aToB, wanted)) continue;
        least++;
        const cost = ask('swapBaseOutput', wanted, trade, rate).inputAmount;
        expect({ ...at, wanted, cost: state.exactOut(aToB, wanted)!.amountIn }).toEqual({
          ...at,
          wanted,
          cost: BigInt(cost.toString()),
        });
      }
    }
    expect(least).toBeGreaterThan(compared / 2);
    expect(apart).toBeGreaterThan(0);
  });

  it('refuse an output that is worth less than half a unit, as the program', () => {
    const world = new QuoteWorld(new SeededRandom(3));
    const steep = readPool(raydiumCpmmPools, poolIn(world, { reserves: [1_000n, 1_000_000n], enabled: false }), world)!;
    expect([499n, 500n].map((out) => steep.exactOut(true, out)?.amountIn ?? null)).toEqual([null, 2n]);
  });

  it('take the creator fee from the side that the pool says, and none where it is off', () => {
    const world = new QuoteWorld(new SeededRandom(1));
    const shape = { reserves: [1_000_000n, 1_000_000n] as [bigint, bigint], trade: 10_000n, creator: 100_000n };
    const out = (feeOn: number, enabled: boolean, aToB: boolean) =>
      readPool(raydiumCpmmPools, poolIn(world, { ...shape, feeOn, enabled }), world)!.exactIn(aToB, 1_000n);
    // 1000 less 110: 889; 1000 less 10: 989, of which 99 are the creator's.
    const onInput = { amountIn: 1_000n, amountOut: 889n, fee: 110n, feeSide: 'input' };
    const onOutput = { amountIn: 1_000n, amountOut: 890n, fee: 10n + 100n, feeSide: 'input' };
    expect([out(0, true, true), out(0, true, false)]).toEqual([onInput, onInput]);
    expect([out(1, true, true), out(1, true, false)]).toEqual([onInput, onOutput]);
    expect([out(2, true, true), out(2, true, false)]).toEqual([onOutput, onInput]);
    expect(out(2, false, true)).toEqual({ amountIn: 1_000n, amountOut: 989n, fee: 10n, feeSide: 'input' });
  });

  it('are null while swaps are off or not yet open, and the vaults owe others what they hold', () => {
    const world = new QuoteWorld(new SeededRandom(2));
    const reserves: [bigint, bigint] = [1_000n, 1_000n];
    const at = (unixTime: bigint) => ({ slot: 1n, unixTime });
    expect(readPool(raydiumCpmmPools, poolIn(world, { reserves, status: 4 }), world)).toBeNull();
    expect(readPool(raydiumCpmmPools, poolIn(world, { reserves, status: 3 }), world)).not.toBeNull();
    const later = poolIn(world, { reserves, openTime: 50n });
    expect(readPool(raydiumCpmmPools, later, world, at(49n))).toBeNull();
    expect(readPool(raydiumCpmmPools, later, world, at(50n))).not.toBeNull();
    const owing = poolIn(world, { reserves: [0n, 5n], owed: [9n, 0n, 0n, 0n, 0n, 0n] });
    expect(readPool(raydiumCpmmPools, owing, world)).toBeNull();
    expect(
      readPool(raydiumCpmmPools, poolIn(world, { reserves, trade: 900_000n, creator: 100_000n }), world),
    ).toBeNull();
  });

  it('are null for malformed accounts, and no account throws', () => {
    const world = new QuoteWorld(new SeededRandom(3));
    const pool = poolIn(world, { reserves: [1n << 50n, 1n << 40n] });
    expectNoThrow(raydiumCpmmPools, pool, world);
    const wrong = Uint8Array.from(world.known.get(pool)!.data);
    wrong[389] = 3;
    expect(raydiumCpmmPools.identity(wrong)).toBeNull();
  });
});
