import type { Hex } from '#libs/core/ids.js';
import { derive, type Instruction, reads, SYSTEM_PROGRAM, signs, writes } from './instruction.js';
import { type ListedHop, venueRoute } from './swap-client.js';
import { ListedVenue, shapes, type Told } from './test/listed-venue.js';
import type { Wallet } from './test/svm-world.js';

/**
 * What venues take of the user's lamports, by the venue of swap-venues.spec: the rents that its kind names, of the accounts that it
 * names and of no other one.
 */
type Kind = keyof typeof shapes;
const kinds = Object.keys(shapes) as Kind[];

let venue: ListedVenue;
let stranger: Wallet;
beforeAll(async () => {
  venue = await ListedVenue.start();
  stranger = await venue.market.world.wallet();
});
const refused = (instruction: Instruction, name: string | RegExp) => venue.refused(instruction, name);

const paying = kinds.filter((kind) => shapes[kind].pays);
const [take, pay] = [10n, 20n];
/** A hop that may take lamports of the user, with the system program at that place. */
const paid = (kind: Kind, system: number, told: Partial<Told>): ListedHop =>
  venue.hop(kind, {
    mode: 'takesLamports',
    ...{ take, pay },
    ...told,
    change: { [system]: reads(SYSTEM_PROGRAM), ...told.change },
  });
/** An account of the venue, or of the owner that is named. */
function account(owner: Hex = venue.program): Hex {
  const id = (++made).toString(16).padStart(64, '5');
  venue.market.world.put(id, owner, Buffer.alloc(1));
  return id;
}
let made = 0;

describe.each(paying.filter((kind) => !shapes[kind].makesTokens))('rents that %s takes of the user', (kind) => {
  const [state, counted] = shapes[kind].pays!;
  const [other, system] = [shapes[kind].count - 2, shapes[kind].count - 1];
  beforeAll(() => venue.is(kind));
  const hop = (told: Partial<Told>) => paid(kind, system, told);

  test('pay for the two accounts of the venue that its kind names, up to the rent of its bytes', async () => {
    const { world, user } = venue.market;
    const most = world.rent(256);
    for (const lamports of [1n, 900_000n, most]) {
      for (const payee of [state, counted]) {
        const before = world.lamports(user.id);
        await world.ok(venue.route([hop({ lamports, payee, change: { [counted]: writes(account()) } })]));
        expect(before - world.lamports(user.id)).toBe(lamports);
      }
    }
    for (const payee of [state, counted])
      await refused(
        venue.route([hop({ lamports: most + 1n, payee, change: { [counted]: writes(account()) } })]),
        'swap.Overspent',
      );
  });

  test('never for another account of the venue, nor for one that is not its own', async () => {
    const further = { [counted]: writes(account()), [other]: writes(account()) };
    await refused(venue.route([hop({ lamports: 1n, payee: other, change: further })]), 'swap.Overspent');
    const theirs = { [counted]: writes(account(SYSTEM_PROGRAM)) };
    await refused(venue.route([hop({ lamports: 1n, payee: counted, change: theirs })]), 'swap.Overspent');
    const wallet = { [counted]: writes(stranger.id) };
    await refused(venue.route([hop({ lamports: 1n, payee: counted, change: wallet })]), 'swap.Overspent');
  });
});

describe.each(paying.filter((kind) => shapes[kind].makesTokens))('token accounts that %s makes', (kind) => {
  const [first, second] = shapes[kind].pays!;
  const [other, system] = [first - 2, first - 1];
  beforeAll(() => venue.is(kind));
  const hop = (told: Partial<Told>) => paid(kind, system, told);
  let salt = 0;
  /** Where the venue makes an account in that place. */
  const unmade = (place: number): Hex => derive(venue.program, Buffer.from('t'), Buffer.from([place, salt])).id;
  const change = (): Told['change'] => ({ [first]: writes(unmade(first)), [second]: writes(unmade(second)) });
  /** `own`: they belong to the venue's program, not to a token program. */
  const payee = (from: number, own = false): number => from + 256 * salt + (own ? 65_536 : 0);
  const makes = (told: Partial<Told> = {}, from = first) =>
    venue.route([hop({ mode: 'makesTokens', payee: payee(from), change: change(), ...told })]);
  const spent = async (instruction: Instruction): Promise<bigint> => {
    const { world, user } = venue.market;
    const before = world.lamports(user.id);
    await world.ok(instruction);
    return before - world.lamports(user.id);
  };
  beforeEach(() => {
    salt++;
  });

  test('are paid by the user once, one or both, whatever was there before', async () => {
    const { world } = venue.market;
    const rent = world.rent(165);
    expect(await spent(makes())).toBe(2n * rent);
    expect(await spent(makes())).toBe(0n);
    salt++;
    expect(await spent(makes({}, second))).toBe(rent);
    expect(await spent(makes())).toBe(rent);
    salt++;
    // Lamports that anyone sent there before are counted by the venue.
    world.put(unmade(second), SYSTEM_PROGRAM, Buffer.alloc(0), 1_000_000n);
    expect(await spent(makes({}, second))).toBe(rent - 1_000_000n);
    salt++;
    // Two hops over the same accounts pay for them once, and each finds them as the one before left them.
    const hops = [hop({ mode: 'makesTokens', payee: payee(first), change: change() })];
    const legs = [0, 1].map(() => ({ shareBps: 5_000, hops }));
    const { market } = venue;
    const order = { ...venue.order(market.account(0), market.account(1), hops), legs };
    expect(await spent(venueRoute(market.swap, order))).toBe(2n * rent);
  });

  test('cost no more than their rent, and nothing is paid for what is there', async () => {
    const { world, mint } = venue.market;
    const rent = world.rent(165);
    await refused(makes({ lamports: rent + 1n }), 'swap.Overspent');
    await refused(makes({ lamports: rent + 1n }, second), 'swap.Overspent');
    const there = { [second]: writes(await world.token(mint(0), stranger.id)) };
    await refused(venue.route([hop({ lamports: 1n, payee: second, change: there })]), 'swap.Overspent');
  });

  test('are of a token program, in the two places alone', async () => {
    const { world } = venue.market;
    for (const owner of [venue.program, SYSTEM_PROGRAM]) {
      const theirs = { [first]: writes(account(owner)), [other]: writes(account(owner)) };
      for (const payee of [first, other])
        await refused(venue.route([hop({ lamports: 1n, payee, change: theirs })]), 'swap.Overspent');
    }
    await refused(
      venue.route([hop({ lamports: world.rent(0), payee: first, change: { [first]: writes(unmade(first)) } })]),
      'swap.Overspent',
    );
    for (const place of [first, second]) await refused(makes({ payee: payee(place, true) }), 'swap.Overspent');
    const elsewhere = derive(venue.program, Buffer.from('t'), Buffer.from([other, salt])).id;
    const moved = { [other]: writes(elsewhere) };
    await refused(makes({ change: moved }, other), 'swap.Overspent');
  });
});

describe.each(paying)('%s, paid by the user,', (kind) => {
  const last = shapes[kind].makesTokens ? 15 : shapes[kind].count - 1;
  beforeAll(() => venue.is(kind));

  test('leaves the account of the user what it is', async () => {
    for (const mode of ['assignsUser', 'growsUser'] as const)
      await refused(venue.route([paid(kind, last, { mode })]), 'swap.Tampered');
    const { world, user, mint, swap } = venue.market;
    const odd = await world.wallet();
    world.put(odd.id, SYSTEM_PROGRAM, Buffer.alloc(80), 10_000_000_000n);
    const [input, output] = [await world.token(mint(0), odd.id, 1_000n), await world.token(mint(1), odd.id)];
    const listed = paid(kind, last, { mode: 'paysSaid', input, output });
    const list = listed.list.map((use) => (use.id === user.id ? signs(odd.id, true) : use));
    const order = { ...venue.order(input, output, [{ ...listed, list }]), user: odd.id };
    await refused(venueRoute(swap, order), 'swap.Wallet');
  });
});

test('a kind that names no rents takes none of the user', async () => {
  for (const free of kinds) {
    if (shapes[free].pays) continue;
    await venue.is(free);
    const places = venue.freePlaces(free);
    const taken = paid(free, places[3]!, { lamports: 1n, payee: places[0]! });
    await refused(venue.route([taken]), /escalated|unauthorized/i);
  }
});
