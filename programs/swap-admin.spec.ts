import type { Hex } from '#libs/core/ids.js';
import { type Instruction, reads, UPGRADEABLE_LOADER, writes } from './instruction.js';
import { programData } from './loader-client.js';
import {
  acceptAdmin,
  addRow,
  configId,
  initConfig,
  programDataId,
  proposeAdmin,
  readSwapConfig,
  removeRow,
  type SwapConfig,
  setFee,
  setPaused,
  setRow,
  VENUE_KINDS,
  type VenueRow,
} from './swap-client.js';
import { SvmWorld, type Wallet } from './test/svm-world.js';

/** Administration of a deployment: every change by its admin, none by anybody else. */
describe('administration', () => {
  let world: SvmWorld;
  let admin: Wallet;
  let next: Wallet;
  let swap: Hex;
  const config = (): SwapConfig => readSwapConfig(world.data(configId(swap))!)!;
  const row = (index: number, rest: Partial<VenueRow> = {}): VenueRow => ({
    program: (index + 1).toString(16).padStart(64, 'c'),
    kind: 'pool',
    live: true,
    ...rest,
  });
  const result = async (instruction: Instruction): Promise<string> => (await world.send(instruction)).result;

  beforeEach(async () => {
    world = await SvmWorld.start();
    [admin, next] = [await world.wallet(), await world.wallet()];
    swap = await world.deploy('swap', admin);
    await world.ok(initConfig(swap, admin.id, next.id, 250));
  });

  test('a fresh config', () => {
    const fresh = { admin: admin.id, pendingAdmin: null, feeOwner: next.id, maxFeeBps: 250, paused: false, rows: [] };
    expect(config()).toEqual(fresh);
  });

  test('each change does what it says and leaves its instruction in the log', async () => {
    const change = setPaused(swap, admin.id, true);
    const done = await world.ok(change);
    expect(config().paused).toBe(true);
    expect(done.events[0]!.toString()).toBe('TPADMIN1');
    expect(done.logs.join()).toContain(` ${Buffer.from(change.data).toString('base64')}`);
    await world.ok(setPaused(swap, admin.id, false));
    await world.ok(setFee(swap, admin.id, null, 1000));
    expect(config()).toMatchObject({ paused: false, feeOwner: null, maxFeeBps: 1000 });
    for (const index of [0, 1, 2]) await world.ok(addRow(swap, admin.id, row(index)));
    await world.ok(setRow(swap, admin.id, row(1, { kind: 'curve', live: false })));
    await world.ok(removeRow(swap, admin.id, row(0).program));
    expect(config().rows).toEqual([row(2), row(1, { kind: 'curve', live: false })]);
    await world.ok(removeRow(swap, admin.id, row(1).program));
    await world.ok(removeRow(swap, admin.id, row(2).program));
    expect(config().rows).toEqual([]);
  });

  test('a new admin takes over in two steps', async () => {
    expect(await result(acceptAdmin(swap, next.id))).toBe('swap.Admin');
    await world.ok(proposeAdmin(swap, admin.id, next.id));
    expect(config()).toMatchObject({ admin: admin.id, pendingAdmin: next.id });
    expect(await result(acceptAdmin(swap, admin.id))).toBe('swap.Admin');
    await world.ok(proposeAdmin(swap, admin.id, null));
    expect(await result(acceptAdmin(swap, next.id))).toBe('swap.Admin');
    await world.ok(proposeAdmin(swap, admin.id, next.id));
    await world.ok(acceptAdmin(swap, next.id));
    expect(config()).toMatchObject({ admin: next.id, pendingAdmin: null });
    expect(await result(setPaused(swap, admin.id, true))).toBe('swap.Admin');
    await world.ok(setPaused(swap, next.id, true));
  });

  test('no other account changes anything, and the admin only by signing', async () => {
    const before = config();
    await world.ok(addRow(swap, admin.id, row(0)));
    const changes = (by: Hex): Instruction[] => [
      setPaused(swap, by, true),
      addRow(swap, by, row(7)),
      removeRow(swap, by, row(0).program),
      setRow(swap, by, row(0, { live: false })),
      proposeAdmin(swap, by, by),
      setFee(swap, by, by, 1000),
    ];
    for (const change of changes(next.id)) expect(await result(change)).toBe('swap.Admin');
    for (const change of changes(admin.id)) {
      const [target, by] = change.accounts;
      expect(await result({ ...change, accounts: [target!, reads(by!.id)] })).toBe('swap.Signer');
      expect(await result({ ...change, accounts: [reads(target!.id), by!] })).toBe('swap.Config');
      expect(await result({ ...change, accounts: [target!] })).toBe('swap.Accounts');
      expect(await result({ ...change, data: change.data.subarray(0, -1) })).toBe('swap.Instruction');
      expect(await result({ ...change, data: Buffer.concat([change.data, Buffer.alloc(1)]) })).toBe('swap.Instruction');
      const { id } = await world.wallet(0n);
      world.put(id, next.id, world.data(configId(swap))!);
      expect(await result({ ...change, accounts: [writes(id), by!] })).toBe('swap.Config');
    }
    expect(config()).toEqual({ ...before, rows: [row(0)] });
  });

  test('rows: one a venue, never this program, at most 32', async () => {
    await world.ok(addRow(swap, admin.id, row(0)));
    expect(await result(addRow(swap, admin.id, row(0, { kind: 'curve' })))).toBe('swap.Exists');
    expect(await result(addRow(swap, admin.id, row(0, { program: swap })))).toBe('swap.Program');
    expect(await result(addRow(swap, admin.id, row(0, { program: '0'.repeat(64) })))).toBe('swap.Program');
    expect(await result(removeRow(swap, admin.id, row(1).program))).toBe('swap.NoRow');
    expect(await result(setRow(swap, admin.id, row(1)))).toBe('swap.NoRow');
    const unknown = addRow(swap, admin.id, row(1));
    unknown.data[1] = VENUE_KINDS.length;
    expect(await result(unknown)).toBe('swap.Kind');
    const livelier = addRow(swap, admin.id, row(1));
    livelier.data[2] = 2;
    expect(await result(livelier)).toBe('swap.Kind');
    const other = setRow(swap, admin.id, row(0));
    other.data[1] = VENUE_KINDS.length;
    expect(await result(other)).toBe('swap.Kind');
    const lively = setRow(swap, admin.id, row(0));
    lively.data[2] = 2;
    expect(await result(lively)).toBe('swap.Kind');
    for (let index = 1; index < 32; index++) await world.ok(addRow(swap, admin.id, row(index)));
    expect(await result(addRow(swap, admin.id, row(32)))).toBe('swap.RowsFull');
    expect(config().rows.map((each) => each.program)).toEqual(Array.from({ length: 32 }, (_, i) => row(i).program));
  });

  test('a program that a local chain placed has an authority once its data names one', async () => {
    const placed = await world.place('swap');
    expect(await result(initConfig(placed, admin.id, null, 0))).toBe('swap.Authority');
    const code = world.data(programDataId(placed))!.subarray(45);
    world.put(programDataId(placed), UPGRADEABLE_LOADER, programData(code, admin.id));
    expect(await result(initConfig(placed, next.id, null, 0))).toBe('swap.Authority');
    await world.ok(initConfig(placed, admin.id, null, 0));
    expect(readSwapConfig(world.data(configId(placed))!)?.admin).toBe(admin.id);
  });

  test('values out of range', async () => {
    expect(await result(setFee(swap, admin.id, null, 1001))).toBe('swap.Fee');
    const pause = setPaused(swap, admin.id, true);
    pause.data[1] = 2;
    expect(await result(pause)).toBe('swap.Instruction');
  });
});
