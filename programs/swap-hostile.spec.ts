import type { Hex } from '#libs/core/ids.js';
import { derive, type Instruction, reads } from './instruction.js';
import { addRow, type Hop, type Leg, type ProgramRoute, setRow } from './swap-client.js';
import { funded, Market } from './test/market.js';
import type { Wallet } from './test/svm-world.js';

/** A venue with a live row that misbehaves: whatever it does to the user's accounts, the route ends and nothing moved. */
describe('a venue with a live row that misbehaves', () => {
  let market: Market;
  let hostile: Hex;
  let stranger: Wallet;
  let theirIn: Hex;
  let theirOut: Hex;
  let state: { id: Hex; bump: number };
  beforeAll(async () => {
    market = await Market.start();
    hostile = await market.world.deploy('hostile');
    stranger = await market.world.wallet();
    await market.world.ok(addRow(market.swap, market.admin.id, { program: hostile, kind: 'pool', live: true }));
    state = derive(hostile, Buffer.from('v'));
    theirIn = await market.world.token(market.mint(0), stranger.id);
    theirOut = await funded(market.world, market.mint(1), { id: state.id } as Wallet, 1_000_000_000n);
  });
  const legs = (...hops: Hop[]): Leg[] => [{ shareBps: 10_000, hops }];

  /** Fails by that name and moves nothing. */
  async function refused(instruction: Instruction, name: string): Promise<void> {
    const before = [0, 1, 2].map(market.held);
    expect((await market.world.send(instruction)).result).toBe(name);
    expect([0, 1, 2].map(market.held)).toEqual(before);
  }

  const at = (mode: number, change: Partial<Hop> = {}): Hop => {
    market.world.put(state.id, hostile, Buffer.from([mode, state.bump, 0, 0]));
    return {
      venue: hostile,
      state: state.id,
      stateChanges: false,
      vaultIn: theirIn,
      vaultOut: theirOut,
      userOut: market.account(1),
      ...change,
    };
  };
  const attack = (mode: number, change: Partial<Hop> = {}, rest: Partial<ProgramRoute> = {}): Instruction =>
    market.instruction(0, 1, legs(at(mode, change)), rest);

  test.each([
    ['pays nothing', 0, 'swap.Short'],
    ['takes more than the hop gives', 2, 'swap.Overspent'],
    ['makes itself a delegate', 3, 'swap.Tampered'],
    ["takes the user's account", 4, 'swap.Tampered'],
    ["may close the user's account from now on", 5, 'swap.Tampered'],
    ['pays less than the least', 6, 'swap.Slippage'],
    ['takes from the account it should pay', 7, 'swap.Short'],
  ])('%s', async (_name, mode, error) => {
    await refused(attack(mode, {}, { limit: 2n }), error);
  });

  test('calls back into the swap program', async () => {
    const call = attack(1, { vaultIn: market.swap });
    const accounts = call.accounts.map((use) => (use.id === market.swap ? reads(use.id) : use));
    const done = await market.world.send({ ...call, accounts });
    expect(done.result).toMatch(/reentran/i);
    expect(done.logs.join()).toContain('invoke [2]');
  });

  test('cannot be used for an exact output: its state is no pool', async () => {
    const { world, swap, admin } = market;
    for (const kind of ['curve', 'pool'] as const) {
      await world.ok(setRow(swap, admin.id, { program: hostile, kind, live: true }));
      await refused(attack(6, {}, { mode: 'exactOut', amount: 1n }), 'swap.Venue');
    }
  });

  test('in the middle of a route, after an honest hop, spoils all of it', async () => {
    const second = at(6, {
      vaultIn: await market.world.token(market.mint(1), stranger.id),
      vaultOut: await funded(market.world, market.mint(2), { id: state.id } as Wallet, 1_000n),
      userOut: market.account(2),
    });
    await refused(market.instruction(0, 2, legs(market.hop(0, 0), second), { limit: 2n }), 'swap.Slippage');
    await market.world.ok(market.instruction(0, 2, legs(market.hop(0, 0), second), { limit: 1n }));
  });

  test('what it pays honestly passes', async () => {
    await market.world.ok(attack(6, {}, { limit: 1n }));
  });
});
