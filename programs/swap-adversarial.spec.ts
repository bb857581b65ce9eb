import type { Hex } from '#libs/core/ids.js';
import {
  derive,
  type Instruction,
  reads,
  signs,
  TOKEN_PROGRAM_ID,
  UPGRADEABLE_LOADER,
  WRAPPED_MINT,
  writes,
} from './instruction.js';
import {
  addRow,
  configId,
  type Hop,
  initConfig,
  type Leg,
  type ProgramRoute,
  setFee,
  setPaused,
  setRow,
  temporaryId,
} from './swap-client.js';
import { BALANCE, funded, Market } from './test/market.js';
import type { Wallet } from './test/svm-world.js';

/**
 * What an attacker tries against the swap program: substituted and forged accounts, missing signatures, venues that
 * misbehave, amounts at the edges. Each attempt must end in its own error, and nothing may have moved.
 */
const MAX = 2n ** 64n - 1n;

describe('attacks', () => {
  let market: Market;
  let hostile: Hex;
  let stranger: Wallet;
  beforeAll(async () => {
    market = await Market.start();
    hostile = await market.world.deploy('hostile');
    stranger = await market.world.wallet();
    await market.world.ok(addRow(market.swap, market.admin.id, { program: hostile, kind: 'pool', live: true }));
  });

  const legs = (...hops: Hop[]): Leg[] => [{ shareBps: 10_000, hops }];
  const good = (rest: Partial<ProgramRoute> = {}): Instruction =>
    market.instruction(0, 1, legs(market.hop(0, 0)), rest);

  /** Fails by that name and moves nothing. */
  async function refused(instruction: Instruction, name: string): Promise<void> {
    const before = [0, 1, 2, 3, 4].map(market.held);
    expect((await market.world.send(instruction)).result).toBe(name);
    expect([0, 1, 2, 3, 4].map(market.held)).toEqual(before);
  }
  /** The same instruction with one account replaced. */
  const swapped = (instruction: Instruction, index: number, id: Hex): Instruction => ({
    ...instruction,
    accounts: instruction.accounts.map((use, at) => (at === index ? { ...use, id } : use)),
  });
  const withData = (instruction: Instruction, change: (data: Buffer) => void): Instruction => {
    const data = Buffer.from(instruction.data);
    change(data);
    return { ...instruction, data };
  };

  test('the route that all attacks start from is good', async () => {
    await market.world.ok(good());
  });

  test('a forged config: right bytes and another owner, another tag, another length, another deployment', async () => {
    const { world } = market;
    const bytes = world.data(configId(market.swap))!;
    const fake = async (owner: Hex, data: Buffer): Promise<Hex> => {
      const { id } = await world.wallet(0n);
      world.put(id, owner, data);
      return id;
    };
    await refused(swapped(good(), 0, await fake(stranger.id, bytes)), 'swap.Config');
    await refused(swapped(good(), 0, await fake(market.swap, bytes.subarray(0, -1))), 'swap.Config');
    const tagged = Buffer.from(bytes);
    tagged[0]! ^= 1;
    await refused(swapped(good(), 0, await fake(market.swap, tagged)), 'swap.Config');
    const other = await world.deploy('swap', stranger);
    await world.ok(initConfig(other, stranger.id, null, 0));
    await world.ok(addRow(other, stranger.id, { program: market.amm, kind: 'pool', live: true }));
    await refused(swapped(good(), 0, configId(other)), 'swap.Config');
  });

  test('a paused deployment, a dead row, a venue without a row', async () => {
    const { world, swap, admin, amm } = market;
    await world.ok(setPaused(swap, admin.id, true));
    await refused(good(), 'swap.Paused');
    await world.ok(setPaused(swap, admin.id, false));
    for (const mode of ['exactIn', 'exactOut'] as const) {
      await world.ok(setRow(swap, admin.id, { program: amm, kind: 'pool', live: false }));
      await refused(good({ mode }), 'swap.RowDead');
      await world.ok(setRow(swap, admin.id, { program: amm, kind: 'pool', live: true }));
      const other = { ...market.hop(0, 0), venue: await world.deploy('amm') };
      await refused(market.instruction(0, 1, legs(other), { mode }), 'swap.NoRow');
      await refused(market.instruction(0, 1, legs({ ...other, venue: TOKEN_PROGRAM_ID }), { mode }), 'swap.NoRow');
    }
    await world.ok(good());
  });

  test('a user who does not sign', async () => {
    const unsigned = good();
    await refused(
      { ...unsigned, accounts: unsigned.accounts.map((use, at) => (at === 1 ? reads(use.id) : use)) },
      'swap.Signer',
    );
  });

  test("another's accounts as the user's own", async () => {
    const { world } = market;
    const theirs = await funded(world, market.mint(0), stranger, 5_000_000n);
    const theirB = await world.token(market.mint(1), stranger.id);
    await refused(good({ source: theirs }), 'swap.TokenAccount');
    const through = market.hop(0, 0);
    await refused(
      market.instruction(0, 2, legs({ ...through, userOut: theirB }, market.hop(1, 1))),
      'swap.TokenAccount',
    );
    // Another account may be paid, but then no fee can be taken from its tokens.
    const feeAccount = await world.token(market.mint(1), stranger.id);
    await refused(good({ destination: theirB, fee: { bps: 10, account: feeAccount } }), 'swap.TokenAccount');
    await world.ok(good({ destination: theirB }));
    expect(world.held(theirB)).toBeGreaterThan(0n);
    expect(world.held(theirs)).toBe(5_000_000n);
  });

  test('substituted programs, mints, vaults and pools', async () => {
    const { world } = market;
    await refused(swapped(good(), 5, hostile), 'swap.Program');
    await refused(swapped(good(), 6, hostile), 'swap.Program');
    await refused(swapped(good(), 7, market.mint(0)), 'swap.Program');
    const hop = market.hop(0, 0);
    const other = market.hop(2, 0);
    const fakeVault = await funded(world, market.mint(1), stranger, 9_000_000n);
    for (const mode of ['exactIn', 'exactOut'] as const) {
      const attempt = (change: Partial<Hop>): Instruction =>
        market.instruction(0, 1, legs({ ...hop, ...change }), { mode });
      await refused(attempt({ vaultIn: other.vaultIn }), 'pool.Vault');
      await refused(attempt({ vaultOut: fakeVault }), 'pool.Vault');
      await refused(attempt({ state: fakeVault }), mode === 'exactIn' ? 'pool.Pool' : 'swap.Venue');
      await refused(attempt({ vaultIn: hop.vaultOut, vaultOut: hop.vaultIn }), '3');
    }
    // A copy of a pool's bytes that belongs to another owner.
    const { id } = await world.wallet(0n);
    world.put(id, hostile, world.data(hop.state)!);
    await refused(market.instruction(0, 1, legs({ ...hop, state: id })), 'pool.Pool');
    await refused(market.instruction(0, 1, legs({ ...hop, state: id }), { mode: 'exactOut' }), 'swap.Venue');
    for (const change of [{ vaultIn: id }, { vaultOut: id }]) {
      await refused(market.instruction(0, 1, legs({ ...hop, ...change }), { mode: 'exactOut' }), 'swap.Venue');
      await refused(market.instruction(0, 1, legs({ ...hop, ...change })), 'pool.Vault');
    }
    // A pool of other mints: the token program does not move one token into an account of another.
    await refused(market.instruction(0, 1, legs({ ...market.hop(1, 1), userOut: market.account(1) })), '3');
    await refused(swapped(good(), 2, market.mint(0)), 'swap.TokenAccount');
  });

  test('the same account in two places', async () => {
    const hop = market.hop(0, 0);
    await refused(good({ destination: market.account(0) }), 'swap.Duplicate');
    const second = await market.world.token(market.mint(0), market.user.id);
    await refused(good({ destination: second }), 'swap.Mint');
    await refused(market.instruction(0, 1, legs({ ...hop, vaultOut: hop.vaultIn })), 'swap.Duplicate');
    await refused(market.instruction(0, 1, legs({ ...hop, vaultIn: market.account(0) })), 'swap.Duplicate');
    await refused(market.instruction(0, 1, legs({ ...hop, vaultOut: market.account(1) })), 'swap.Duplicate');
    const back = { ...market.hop(0, 1), userOut: market.account(0) };
    await refused(market.instruction(0, 2, legs(hop, back, market.hop(2, 0))), 'swap.Duplicate');
    const feeC = await market.world.token(market.mint(2), market.user.id);
    const around = legs({ ...market.hop(2, 0), userOut: feeC }, market.hop(1, 2), market.hop(1, 1));
    await refused(market.instruction(0, 2, around, { fee: { bps: 1, account: feeC } }), 'swap.Duplicate');
    const stays = { ...market.hop(1, 1), userOut: market.account(1) };
    await refused(market.instruction(0, 2, legs(hop, stays, market.hop(1, 1))), 'swap.Duplicate');
    const theirs = await market.world.token(market.mint(1), stranger.id);
    await refused(
      market.instruction(0, 1, legs({ ...hop, vaultOut: theirs }), { destination: theirs }),
      'swap.Duplicate',
    );
    // One of the user's other accounts where the vault belongs.
    await refused(market.instruction(0, 1, legs({ ...hop, vaultIn: market.account(2) })), 'swap.Duplicate');
    for (const through of [0, 2]) {
      await refused(
        market.instruction(0, 2, legs({ ...hop, userOut: market.account(through) }, market.hop(1, 1))),
        'swap.Duplicate',
      );
    }
    const feeOut = await market.world.token(market.mint(1), market.user.id);
    await refused(
      market.instruction(0, 2, legs({ ...hop, userOut: feeOut }, market.hop(1, 1)), {
        fee: { bps: 1, account: feeOut },
      }),
      'swap.FeeAccount',
    );
    await refused(good({ fee: { bps: 1, account: market.account(1) } }), 'swap.Duplicate');
    await refused(
      market.instruction(0, 0, legs(hop, { ...market.hop(0, 1), userOut: market.account(0) })),
      'swap.Duplicate',
    );
    // The same pool twice in a leg of an exact output would be computed from a state that is no more.
    const again = await market.world.token(market.mint(0), market.user.id);
    await refused(
      market.instruction(0, 2, legs(hop, { ...market.hop(0, 1), userOut: again }, market.hop(2, 0)), {
        mode: 'exactOut',
      }),
      'swap.Duplicate',
    );
  });

  test('a leg that does not end at the destination, shares that are no whole, too many or too few of anything', async () => {
    const hop = market.hop(0, 0);
    const plan = (value: number[]): Instruction =>
      withData(good(), (data) => {
        data.set(value, 20);
      });
    const elsewhere = await market.world.token(market.mint(1), market.user.id);
    await refused(swapped(good(), 12, elsewhere), 'swap.Plan');
    for (const share of [9_999, 10_001, 0]) {
      await refused(market.instruction(0, 1, [{ shareBps: share, hops: [hop] }]), 'swap.Plan');
    }
    await refused(
      market.instruction(0, 1, [
        { shareBps: 10_000, hops: [hop] },
        { shareBps: 0, hops: [hop] },
      ]),
      'swap.Plan',
    );
    await refused(market.instruction(0, 1, []), 'swap.Instruction');
    const fifths = Array.from({ length: 5 }, () => ({ shareBps: 2000, hops: [hop] }));
    await refused(market.instruction(0, 1, fifths), 'swap.Instruction');
    await refused(plan([0]), 'swap.Instruction');
    await refused(plan([5]), 'swap.Instruction');
    await refused(plan([2]), 'swap.Instruction');
    await refused(plan([1, 0x10, 0x27, 0]), 'swap.Plan');
    await refused(plan([1, 0x10, 0x27, 5]), 'swap.Plan');
    await refused(plan([1, 0x10, 0x27, 2]), 'swap.Accounts');
    await refused({ ...good(), accounts: good().accounts.slice(0, -1) }, 'swap.Accounts');
    await refused({ ...good(), accounts: [...good().accounts, reads(hop.state)] }, 'swap.Accounts');
    await refused({ ...good(), accounts: [] }, 'swap.Accounts');
    await refused({ ...good(), data: Buffer.alloc(0) }, 'swap.Instruction');
    await refused({ ...good(), data: good().data.subarray(0, 20) }, 'swap.Instruction');
    await refused({ ...good(), data: Buffer.concat([good().data, Buffer.alloc(1)]) }, 'swap.Instruction');
    await refused(
      withData(good(), (data) => data.writeUInt8(99, 0)),
      'swap.Config',
    );
  });

  test('flags that contradict each other, native coins through accounts that cannot hold them', async () => {
    for (const flags of [3, 4, 7, 8, 255]) {
      await refused(
        withData(good(), (data) => data.writeUInt8(flags, 1)),
        'swap.Flags',
      );
    }
    await refused(good({ native: { side: 'input', holder: 'given' } }), 'swap.Mint');
    await refused(good({ native: { side: 'output', holder: 'given' } }), 'swap.Mint');
    await refused(good({ native: { side: 'input', holder: 'temporary' } }), 'swap.Address');
    const theirs = temporaryId(market.swap, stranger.id);
    await refused(
      market.instruction(3, 0, legs(market.hop(4, 3)), {
        source: theirs,
        native: { side: 'input', holder: 'temporary' },
      }),
      'swap.Address',
    );
    const their = await market.world.token(WRAPPED_MINT, stranger.id);
    await refused(
      market.instruction(0, 3, legs(market.hop(4, 0)), {
        destination: their,
        native: { side: 'output', holder: 'given' },
      }),
      'swap.TokenAccount',
    );
  });

  test('slippage, amounts of zero, amounts beyond 64 bits', async () => {
    const paid = market.expected(market.order(0, 1, legs(market.hop(0, 0))))!.received;
    await refused(good({ limit: paid + 1n }), 'swap.Slippage');
    await refused(good({ limit: MAX }), 'swap.Slippage');
    await refused(good({ mode: 'exactOut', limit: 1n }), 'swap.Slippage');
    for (const mode of ['exactIn', 'exactOut'] as const) await refused(good({ mode, amount: 0n }), 'swap.Amount');
    // So little that nothing comes out.
    await refused(market.instruction(3, 0, legs(market.hop(4, 3)), { amount: 1n }), 'pool.Amount');
    await refused(good({ amount: MAX }), 'pool.Overflow');
    await refused(good({ mode: 'exactOut', amount: MAX, limit: MAX }), 'swap.Overflow');
    const [, reserve] = market.reserves(market.hop(0, 0));
    await refused(good({ mode: 'exactOut', amount: reserve, limit: MAX }), 'swap.Overflow');
    await refused(good({ amount: BALANCE * 2n }), '1');
    const split = [
      { shareBps: 1, hops: [market.hop(0, 0)] },
      { shareBps: 9_999, hops: [market.hop(0, 0)] },
    ];
    await refused(market.instruction(0, 1, split, { amount: 9_999n }), 'swap.Amount');
  });

  test('a fee above the ceiling, to an account of another token, to another owner than the config names', async () => {
    const { world } = market;
    const right = await world.token(market.mint(1), stranger.id);
    const wrong = await world.token(market.mint(0), stranger.id);
    await refused(good({ fee: { bps: 1001, account: right } }), 'swap.Fee');
    await refused(good({ fee: { bps: 65_535, account: right } }), 'swap.Fee');
    await refused(good({ fee: { bps: 1, account: wrong } }), 'swap.FeeAccount');
    await refused(good({ fee: { bps: 1, account: stranger.id } }), 'swap.FeeAccount');
    await refused(good({ mode: 'exactOut', fee: { bps: 1, account: right } }), 'swap.FeeAccount');
    await refused(good({ mode: 'exactOut', fee: { bps: 1, account: market.account(0) } }), 'swap.Duplicate');
    const { id: lookalike } = await world.wallet(0n);
    world.put(lookalike, hostile, world.data(right)!);
    await refused(good({ fee: { bps: 1, account: lookalike } }), 'swap.FeeAccount');
    await world.ok(setFee(market.swap, market.admin.id, market.admin.id, 1000));
    await refused(good({ fee: { bps: 1, account: right } }), 'swap.FeeAccount');
    const named = await world.token(market.mint(1), market.admin.id);
    await world.ok(good({ fee: { bps: 100, account: named } }));
    expect(world.held(named)).toBeGreaterThan(0n);
    await world.ok(setFee(market.swap, market.admin.id, null, 1000));
    const data = Buffer.from(good().data);
    data.writeUInt16LE(5, 18);
    await refused({ ...good(), data }, 'swap.FeeAccount');
  });

  test('a config is made by the upgrade authority alone, and once', async () => {
    const { world } = market;
    const fresh = await world.deploy('swap', stranger);
    const make = initConfig(fresh, stranger.id, null, 0);
    const by = (wallet: Wallet): Instruction => ({
      ...make,
      accounts: [signs(wallet.id, true), ...make.accounts.slice(1)],
    });
    expect((await world.send(by(market.user))).result).toBe('swap.Authority');
    // The program data of another program, whose authority the attacker is.
    const own = await world.deploy('swap', market.user);
    const otherData = derive(UPGRADEABLE_LOADER, Buffer.from(own, 'hex')).id;
    expect((await world.send(swapped(by(market.user), 2, otherData))).result).toBe('swap.Authority');
    const elsewhere = await world.wallet(0n);
    expect((await world.send(swapped(make, 1, elsewhere.id))).result).toBe('swap.Address');
    expect((await world.send(initConfig(fresh, stranger.id, null, 1001))).result).toBe('swap.Fee');
    expect((await world.send({ ...make, accounts: make.accounts.slice(0, 3) })).result).toBe('swap.Accounts');
    expect((await world.send({ ...make, data: make.data.subarray(0, 34) })).result).toBe('swap.Instruction');
    const unsigned = { ...make, accounts: [writes(stranger.id), ...make.accounts.slice(1)] };
    expect((await world.send(unsigned)).result).toBe('swap.Signer');
    await world.ok(make);
    expect((await world.send(make)).result).toBe('swap.Exists');
  });
});
