import { SeededRandom, scaled, withSeed } from '#libs/devkit/testing/seeded-random.js';
import { type Leg, type ProgramRoute, readRouteEvent, route, temporaryId } from './swap-client.js';
import { Market } from './test/market.js';
import { readPoolEvent } from './test/pool-data.js';

/** The swap program over real pools in the virtual machine: amounts to the unit, native coins, fees, split legs. */
const whole = (...hops: Leg['hops'][number][]): Leg[] => [{ shareBps: 10_000, hops }];

describe('routes', () => {
  let market: Market;
  beforeAll(async () => {
    market = await Market.start();
  });

  test.each([1, 2, 3, 4])('an exact input over %d hops pays what the model says', async (count) => {
    const hops = [market.hop(0, 0), market.hop(1, 1), market.hop(3, 2), market.hop(5, 3)].slice(0, count);
    const to = count;
    const legs = whole(...hops);
    const order = market.order(0, to, legs);
    const expected = market.expected(order)!;
    const before = [market.held(0), market.held(to)];
    const done = await market.world.ok(route(market.swap, order));
    expect(before[0]! - market.held(0)).toBe(expected.given);
    expect(market.held(to) - before[1]!).toBe(expected.received);
    const event = readRouteEvent(done.events.at(-1)!)!;
    expect(event).toEqual({
      mode: 'exactIn',
      user: market.user.id,
      mintIn: market.mint(0),
      mintOut: market.mint(to),
      amountIn: expected.given,
      amountOut: expected.received,
      fee: 0n,
      feeBps: 0,
      legs: 1,
    });
    expect(done.events.map(readPoolEvent).filter((e) => e?.kind === 'swap')).toHaveLength(count);
    expect(done.returned.readBigUInt64LE(8)).toBe(expected.received);
  });

  test('an exact output delivers exactly, and leaves nothing in between', async () => {
    const legs = whole(market.hop(0, 0), market.hop(1, 1), market.hop(3, 2));
    const order = market.order(0, 3, legs, { mode: 'exactOut', amount: 777_777n });
    const expected = market.expected(order)!;
    const before = [0, 1, 2, 3].map(market.held);
    const event = readRouteEvent((await market.world.ok(route(market.swap, order))).events.at(-1)!)!;
    const after = [0, 1, 2, 3].map(market.held);
    expect(after[3]! - before[3]!).toBe(777_777n);
    expect(before[0]! - after[0]!).toBe(expected.given);
    expect([after[1], after[2]]).toEqual([before[1], before[2]]);
    expect([event.mode, event.amountIn, event.amountOut]).toEqual(['exactOut', expected.given, 777_777n]);
    const tight = { ...order, limit: market.expected(order)!.given };
    expect((await market.world.send(route(market.swap, { ...tight, limit: tight.limit - 1n }))).result).toBe(
      'swap.Slippage',
    );
    await market.world.ok(route(market.swap, tight));
  });

  test.each(['temporary', 'given'] as const)('native coins in and out by a %s account', async (holder) => {
    const { world, user, swap } = market;
    const wrapped = holder === 'temporary' ? temporaryId(swap, user.id) : await world.token(market.mint(3), user.id);
    const before = [world.lamports(user.id), market.held(0)];
    const into = market.order(3, 0, whole(market.hop(4, 3)), {
      source: wrapped,
      native: { side: 'input', holder },
      amount: 5_000_000n,
    });
    const bought = market.expected(into)!.received;
    await world.ok(route(swap, into));
    expect(market.held(0) - before[1]!).toBe(bought);
    expect(before[0]! - world.lamports(user.id)).toBe(5_000_000n);
    if (holder === 'temporary') expect(world.held(wrapped)).toBeNull();
    const rent = holder === 'given' ? world.lamports(wrapped) : 0n;
    const out = market.order(0, 3, whole(market.hop(4, 0)), {
      destination: wrapped,
      native: { side: 'output', holder },
      amount: bought,
    });
    const sold = market.expected(out)!.received;
    const lamports = world.lamports(user.id);
    await world.ok(route(swap, out));
    // A given account is closed too, and its rent is the user's.
    expect(world.lamports(user.id) - lamports).toBe(sold + rent);
    expect(world.held(wrapped)).toBeNull();
  });

  test('an exact output from native coins gives back what it does not need', async () => {
    const { world, user, swap } = market;
    const order = market.order(3, 0, whole(market.hop(4, 3)), {
      mode: 'exactOut',
      source: temporaryId(swap, user.id),
      native: { side: 'input', holder: 'temporary' },
      amount: 12_345n,
      limit: 1_000_000_000n,
    });
    const before = world.lamports(user.id);
    await world.ok(route(swap, order));
    const spent = before - world.lamports(user.id);
    expect(spent).toBeGreaterThan(0n);
    expect(spent).toBeLessThan(100_000n);
  });

  test('coins sent to the temporary account beforehand do not stop a route', async () => {
    const { world, user, swap } = market;
    world.fund(temporaryId(swap, user.id), 5_000_000n);
    const order = market.order(3, 0, whole(market.hop(4, 3)), {
      source: temporaryId(swap, user.id),
      native: { side: 'input', holder: 'temporary' },
    });
    const before = world.lamports(user.id);
    await world.ok(route(swap, order));
    expect(world.lamports(user.id) - before).toBe(5_000_000n - 1_000_000n);
  });

  test('a fee is taken of the output, or of the input of an exact output', async () => {
    const { world, swap } = market;
    const [feeIn, feeOut] = [
      await world.token(market.mint(0), world.payer.id),
      await world.token(market.mint(1), world.payer.id),
    ];
    const exactIn = market.order(0, 1, whole(market.hop(0, 0)), { fee: { bps: 85, account: feeOut } });
    const received = market.expected(exactIn)!.received;
    const fee = (received * 85n) / 10_000n;
    const before = market.held(1);
    const tooDear = { ...exactIn, limit: received - fee + 1n };
    expect((await world.send(route(swap, tooDear))).result).toBe('swap.Slippage');
    const event = readRouteEvent((await world.ok(route(swap, { ...exactIn, limit: received - fee }))).events.at(-1)!)!;
    expect(market.held(1) - before).toBe(received - fee);
    expect(world.held(feeOut)).toBe(fee);
    expect([event.amountOut, event.fee, event.feeBps]).toEqual([received - fee, fee, 85]);

    const exactOut = market.order(0, 1, whole(market.hop(0, 0)), {
      mode: 'exactOut',
      fee: { bps: 85, account: feeIn },
    });
    const given = market.expected(exactOut)!.given;
    const inputFee = (given * 85n) / 10_000n;
    const source = market.held(0);
    expect((await world.send(route(swap, { ...exactOut, limit: given + inputFee - 1n }))).result).toBe('swap.Slippage');
    await world.ok(route(swap, { ...exactOut, limit: given + inputFee }));
    expect(source - market.held(0)).toBe(given + inputFee);
    expect(world.held(feeIn)).toBe(inputFee);
  });

  test('random routes, amounts, legs and modes agree with the model to the unit', async () => {
    await withSeed('random routes', async (random: SeededRandom) => {
      const plans = (): Leg['hops'][] => [
        [market.hop(2, 0)],
        [market.hop(0, 0), market.hop(1, 1)],
        [market.hop(4, 0), market.hop(3, 3)],
      ];
      let ran = 0;
      for (let i = 0; i < scaled(400, 40); i++) {
        const legs = plans()
          .filter(() => random.below(3) > 0)
          .map((hops) => ({ shareBps: 1, hops }));
        if (legs.length === 0) continue;
        let left = 10_000 - legs.length;
        for (const leg of legs.slice(1)) {
          const more = random.below(left);
          leg.shareBps += more;
          left -= more;
        }
        legs[0]!.shareBps += left;
        const amount = 1n + BigInt(random.below(10 ** (1 + random.below(9))));
        const mode: ProgramRoute['mode'] = random.below(2) === 0 ? 'exactIn' : 'exactOut';
        const order = market.order(0, 2, legs, { mode, amount });
        const expected = market.expected(order);
        const before = [0, 1, 2, 3].map(market.held);
        const { result } = await market.world.send(route(market.swap, order));
        const after = [0, 1, 2, 3].map(market.held);
        if (expected === null) {
          expect(result).not.toBe('ok');
          expect(after).toEqual(before);
          continue;
        }
        ran++;
        expect(result).toBe('ok');
        expect([before[0]! - after[0]!, after[2]! - before[2]!]).toEqual([expected.given, expected.received]);
        expect([after[1], after[3]]).toEqual([before[1], before[3]]);
      }
      expect(ran).toBeGreaterThan(5);
    });
  });
});
