import type { Hex } from '#libs/core/ids.js';
import { type AccountUse, type Instruction, reads, SYSTEM_PROGRAM, WRAPPED_MINT, writes } from './instruction.js';
import {
  coinsId,
  type ListedHop,
  type Native,
  type ProgramRoute,
  readRouteEvent,
  temporaryId,
  venueRoute,
} from './swap-client.js';
import { ListedVenue, shapes, type Told } from './test/listed-venue.js';
import { funded } from './test/market.js';
import type { Outcome, Wallet } from './test/svm-world.js';

/**
 * Venues that move coins of the user itself, played by one whose account says what it does: a hop changes the account of wrapped
 * coins by what the venue took or gave, and the wallet by rents alone.
 */
const kind = 'pump-fun';
const shape = shapes[kind];
const [STATE, COUNTED] = shape.pays!;
const [WRAPPED, BOUGHT, SOLD, FIFTH] = [3, 1, 0, 4];
/** Pools of the market: of the wrapped coin with what is sold, and with the fifth token. */
const [POOL, FURTHER] = [4, 5];
const SYSTEM_AT = shape.count - 1;
/** An account of the venue may be paid rents of so many bytes. */
const RENT_BYTES = 256;
const GROWTH = 100;

describe('coins that venues move', () => {
  let venue: ListedVenue;
  let vault: Hex;
  let sold: Hex;
  beforeAll(async () => {
    venue = await ListedVenue.start();
    await venue.is(kind);
    const state = { id: venue.hop(kind, { mode: 'nothing' }).list[STATE]!.id } as Wallet;
    vault = await funded(venue.market.world, WRAPPED_MINT, state, 1_000_000n);
    sold = await venue.market.world.token(venue.market.mint(SOLD), state.id);
  });

  const wallet = (): bigint => venue.market.world.lamports(venue.market.user.id);
  const held = (): bigint[] => [SOLD, BOUGHT, WRAPPED].map(venue.market.held);
  let made = 0;
  /** An account of the venue. */
  function account(lamports?: bigint): AccountUse {
    const id = (++made).toString(16).padStart(64, '6');
    venue.market.world.put(id, venue.program, Buffer.alloc(1), lamports);
    return writes(id);
  }
  const listed = (told: Partial<Told>): ListedHop => ({
    ...venue.hop(kind, {
      ...{ mode: 'takesLamports', take: 0n, payee: STATE, ...told },
      change: { [SYSTEM_AT]: reads(SYSTEM_PROGRAM), ...told.change },
    }),
    movesCoins: true,
  });
  /** Coins for tokens; the user's tokens are the first of its two accounts. */
  const buys = (told: Partial<Told>): ListedHop =>
    listed({
      ...{ firstIsInput: false, vaultIn: vault, pay: 777n },
      ...{ input: venue.market.account(WRAPPED), output: venue.market.account(BOUGHT), ...told },
    });
  const sells = (told: Partial<Told>): ListedHop =>
    listed({
      ...{ mode: 'givesLamports', vaultIn: sold, vaultOut: vault, take: 1_000n, pay: 0n, holds: 1_000_000n },
      ...{ input: venue.market.account(SOLD), output: venue.market.account(WRAPPED), ...told },
    });
  const route = (
    from: number,
    to: number,
    hops: ListedHop[],
    rest: Partial<ProgramRoute<ListedHop>> = {},
  ): Instruction =>
    venueRoute(venue.market.swap, venue.order(venue.market.account(from), venue.market.account(to), hops, rest));
  const buy = (told: Partial<Told>, rest?: Partial<ProgramRoute<ListedHop>>) =>
    route(WRAPPED, BOUGHT, [buys(told)], rest);
  const sell = (told: Partial<Told>, rest?: Partial<ProgramRoute<ListedHop>>) =>
    route(SOLD, WRAPPED, [sells(told)], rest);

  async function refused(instruction: Instruction, name: string | RegExp): Promise<void> {
    const before = [...held(), wallet()];
    const { result } = await venue.market.world.send(instruction);
    expect(result).toMatch(typeof name === 'string' ? new RegExp(`^${name}$`) : name);
    expect([...held(), wallet()]).toEqual(before);
  }
  /** What a route moved: tokens sold, bought, wrapped coins, lamports of the wallet. */
  async function moved(instruction: Instruction): Promise<{ by: bigint[]; done: Outcome }> {
    const before = [...held(), wallet()];
    const done = await venue.market.world.ok(instruction);
    return { by: [...held(), wallet()].map((now, n) => now - before[n]!), done };
  }
  const amounts = ({ events }: Outcome) => {
    const event = readRouteEvent(events.at(-1)!)!;
    return [event.amountIn, event.amountOut];
  };

  test('a buy takes of the wrapped coins what the venue took, for an exact input and an exact output', async () => {
    for (const exact of ['in', 'out'] as const) {
      const [amount, limit] = exact === 'in' ? [1_000n, 1n] : [777n, 1_000n];
      const mode = exact === 'in' ? ('exactIn' as const) : ('exactOut' as const);
      const hop = buys({ lamports: 990n });
      const { by, done } = await moved(route(WRAPPED, BOUGHT, [hop], { mode, amount, limit }));
      expect(by).toEqual([0n, 777n, -990n, 0n]);
      expect(amounts(done)).toEqual([990n, 777n]);
      const [data, uses] = done.events as [Buffer, Buffer];
      expect(data.toString('hex')).toBe(shape.data(exact, amount, limit, false).toString('hex'));
      // What unwraps coins is not for the venue.
      expect([...uses]).toEqual(hop.list.map(({ writable }, n) => (n === shape.user ? 2 : 0) + (writable ? 1 : 0)));
      expect(venue.market.world.data(coinsId(venue.market.swap, venue.market.user.id))).toBeNull();
    }
  });

  test('a sale wraps what the venue gave, and nothing is unwrapped for it', async () => {
    const { by, done } = await moved(sell({ lamports: 555n }));
    expect(by).toEqual([-1_000n, 0n, 555n, 0n]);
    expect(amounts(done)).toEqual([1_000n, 555n]);
    expect((done.events as Buffer[])[0]!.toString('hex')).toBe(shape.data('in', 1_000n, 1n, true).toString('hex'));
    await refused(sell({ lamports: 555n }, { limit: 556n }), 'swap.Slippage');
    await refused(sell({ lamports: 0n }), 'swap.Short');
    await refused(sell({ lamports: 555n }, { mode: 'exactOut', amount: 555n, limit: 1_000n }), 'swap.Plan');
  });

  test('no more than the input, in coins or wrapped ones or both', async () => {
    await refused(buy({ lamports: 1_001n }), 'swap.Overspent');
    await refused(buy({ lamports: 600n, take: 401n }), 'swap.Overspent');
    await refused(buy({ lamports: 0n, take: 1_001n }), 'swap.Overspent');
    expect((await moved(buy({ lamports: 600n, take: 400n }))).by).toEqual([0n, 777n, -1_000n, 0n]);
    expect((await moved(buy({ lamports: 0n, take: 0n }))).by).toEqual([0n, 777n, 0n, 0n]);
    // A venue that sells may take nothing of the wallet, even where it pays in wrapped coins.
    const change = { [COUNTED]: account() };
    await refused(sell({ mode: 'takesLamports', lamports: 5n, payee: STATE }), 'swap.Overspent');
    await refused(sell({ mode: 'takesLamports', lamports: 5n, payee: STATE, pay: 5n, change }), 'swap.Overspent');
    expect((await moved(sell({ lamports: 3n, pay: 4n }))).by).toEqual([-1_000n, 0n, 7n, 0n]);
    // Less than an exact output, or more than its limit.
    const out = { mode: 'exactOut' as const, amount: 777n, limit: 600n };
    await refused(buy({ lamports: 600n, pay: 776n }, out), 'swap.Short');
    await refused(buy({ lamports: 601n }, out), 'swap.Overspent');
    expect((await moved(buy({ lamports: 600n }, out))).by).toEqual([0n, 777n, -600n, 0n]);
  });

  test('the wallet pays for no input that its account of wrapped coins does not have', async () => {
    const { world, user, swap } = venue.market;
    const few = await funded(world, WRAPPED_MINT, user, 900n);
    const hop = (lamports: bigint) => buys({ lamports, input: few });
    const order = (lamports: bigint) =>
      venueRoute(swap, venue.order(few, venue.market.account(BOUGHT), [hop(lamports)]));
    await refused(order(901n), 'swap.Overspent');
    expect((await moved(order(900n))).by).toEqual([0n, 777n, 0n, 0n]);
    expect(world.held(few)).toBe(0n);
  });

  test('rents of the account that counts come out of the wallet, up to those of its bytes', async () => {
    const { world } = venue.market;
    const most = world.rent(RENT_BYTES);
    const rent = (lamports: bigint) => ({ lamports, payee: COUNTED, change: { [COUNTED]: account() } });
    for (const lamports of [1n, 900_000n, most])
      expect((await moved(buy(rent(lamports)))).by).toEqual([0n, 777n, 0n, -lamports]);
    // Beyond them it is input.
    expect((await moved(buy(rent(most + 1_000n)))).by).toEqual([0n, 777n, -1_000n, -most]);
    await refused(buy(rent(most + 1_001n)), 'swap.Overspent');
    const theirs = { ...rent(1_001n), change: { [COUNTED]: writes(venue.market.admin.id) } };
    await refused(buy(theirs), 'swap.Overspent');
  });

  test('of a pool that grows the rent of its growth comes out of the wallet, and no more', async () => {
    const growth = BigInt(GROWTH) * (venue.market.world.rent(1) - venue.market.world.rent(0));
    const grows = (more: bigint) => buy({ mode: 'growsState', lamports: growth + more });
    expect((await moved(grows(0n))).by).toEqual([0n, 777n, 0n, -growth]);
    expect((await moved(grows(990n))).by).toEqual([0n, 777n, -990n, -growth]);
    await refused(grows(1_001n), 'swap.Overspent');
  });

  test('the account that unwraps is the derived one, at the end of the list; coins in it before are the wallet’s', async () => {
    const { world, user, swap } = venue.market;
    const way = coinsId(swap, user.id);
    const good = buy({ lamports: 990n });
    const other = (id: Hex): Instruction => ({
      ...good,
      accounts: good.accounts.map((use) => (use.id === way ? writes(id) : use)),
    });
    await refused(other(temporaryId(swap, user.id)), 'swap.Address');
    await refused(other(coinsId(swap, venue.market.admin.id)), 'swap.Address');
    await refused(route(WRAPPED, BOUGHT, [{ ...buys({ lamports: 990n }), movesCoins: false }]), 'swap.Accounts');
    const longer = buys({ lamports: 990n });
    await refused(
      route(WRAPPED, BOUGHT, [{ ...longer, list: [...longer.list, reads(SYSTEM_PROGRAM)] }]),
      'swap.Accounts',
    );
    world.put(way, SYSTEM_PROGRAM, Buffer.alloc(0), 5_000_000n);
    expect((await moved(good)).by).toEqual([0n, 777n, -990n, 5_000_000n]);
  });

  test('accounts of the user stay what they are', async () => {
    for (const mode of ['assignsUser', 'growsUser'] as const) {
      await refused(buy({ mode }), 'swap.Tampered');
      await refused(sell({ mode, holds: 0n }), 'swap.Tampered');
    }
    for (const mode of ['setsDelegate', 'takesOwnership', 'setsCloseAuthority'] as const) {
      await refused(buy({ mode }), 'swap.Tampered');
      await refused(sell({ mode }), 'swap.Tampered');
    }
  });

  test('several of them in one route, before and behind other venues, and coins that are wrapped for its time alone', async () => {
    const { market } = venue;
    const { world, user, swap } = market;
    const [from, to, tokens] = [WRAPPED, BOUGHT, SOLD].map(market.account) as [Hex, Hex, Hex];
    const half = { shareBps: 5_000, hops: [buys({ lamports: 500n })] };
    const both = { ...venue.order(from, to, []), legs: [half, half] };
    expect((await moved(venueRoute(swap, both))).by).toEqual([0n, 1_554n, -1_000n, 0n]);

    const of = (pool: number, mint: number, amount: bigint): bigint =>
      market.expected(market.order(mint, SOLD, [{ shareBps: 10_000, hops: [market.hop(pool, mint)] }], { amount }))!
        .received;
    const paid = of(POOL, SOLD, 9_000n);
    const behind = [venue.pool(POOL, SOLD, tokens, from), buys({ lamports: 500n })];
    expect((await moved(route(SOLD, BOUGHT, behind, { amount: 9_000n }))).by).toEqual([-9_000n, 777n, paid - 500n, 0n]);
    const given = of(FURTHER, WRAPPED, 5_555n);
    const further = market.held(FIFTH);
    const before = [sells({ lamports: 5_555n }), venue.pool(FURTHER, WRAPPED, from, market.account(FIFTH))];
    expect((await moved(route(SOLD, FIFTH, before))).by).toEqual([-1_000n, 0n, 0n, 0n]);
    expect(market.held(FIFTH) - further).toBe(given);

    const temporary = temporaryId(swap, user.id);
    const wraps: Native = { side: 'input', holder: 'temporary' };
    const native = venue.order(temporary, to, [buys({ lamports: 990n, input: temporary })], { native: wraps });
    expect((await moved(venueRoute(swap, native))).by).toEqual([0n, 777n, 0n, -990n]);
    const unwraps: Native = { side: 'output', holder: 'temporary' };
    const sale = [sells({ lamports: 555n, output: temporary })];
    const coins = venue.order(tokens, temporary, sale, { native: unwraps });
    expect((await moved(venueRoute(swap, coins))).by).toEqual([-1_000n, 0n, 0n, 555n]);
    expect(world.data(temporary)).toBeNull();
  });
});
