import type { Hex } from '#libs/core/ids.js';
import {
  curveBuy,
  curveBuyExact,
  curveSell,
  curveSellExact,
  poolOut,
} from '#libs/devkit/devnet/solana/market/program-amounts.js';
import { type SeededRandom, scaled, withSeed } from '#libs/devkit/testing/seeded-random.js';
import {
  type LiquidityAccounts,
  poolAccounts,
  poolKeys,
  removeLiquidity,
  swapExactIn,
  swapExactOut,
} from './amm-client.js';
import { derive, type Instruction, reads, writes } from './instruction.js';
import {
  type Curve,
  type CurveKeys,
  claimFees,
  createCurve,
  curveAccounts,
  curveKeys,
  graduate,
  initLaunchpad,
  type Launch,
  readCurve,
  readLaunchEvent,
} from './launchpad-client.js';
import { addRow, initConfig, type Leg, route } from './swap-client.js';
import { readAmmPool } from './test/pool-data.js';
import { SvmWorld, type Wallet } from './test/svm-world.js';

/** Sold part of what is for sale, in hundredths of a percent. */
const progressBps = (curve: Pick<Curve, 'forSale' | 'remaining'>): number =>
  Number(((curve.forSale - curve.remaining) * 10_000n) / curve.forSale);

/** The launchpad from the first buy to the pool, compared with its model in bigint, and what it must refuse. */
describe('launchpad', () => {
  let world: SvmWorld;
  let launchpad: Hex;
  let amm: Hex;
  let quoteMint: Hex;
  let creator: Wallet;
  let user: Wallet;
  let quote: Hex;
  const launch = (rest: Partial<Launch> = {}): Launch => ({
    creator: creator.id,
    virtualQuote: 30_000_000_000n,
    feeBps: 100,
    poolFeeBps: 25,
    name: 'Tide ✓',
    symbol: 'TIDE',
    uri: 'https://example.org/tide.json',
    ...rest,
  });
  beforeAll(async () => {
    world = await SvmWorld.start();
    [launchpad, amm] = [await world.deploy('launchpad'), await world.deploy('amm')];
    await world.ok(initLaunchpad(launchpad, world.payer.id, amm));
    [creator, user] = [await world.wallet(), await world.wallet()];
    quoteMint = await world.mint(9);
    quote = await world.token(quoteMint, user.id, 10n ** 18n);
  });

  interface Launched {
    keys: CurveKeys;
    base: Hex;
    state(): Curve;
    buy(amount: bigint, minOut?: bigint): Instruction;
    sell(amount: bigint, minOut?: bigint): Instruction;
    buyExact(out: bigint, maxIn?: bigint): Instruction;
    sellExact(out: bigint, maxIn?: bigint): Instruction;
  }
  const MAX = 2n ** 64n - 1n;
  async function launched(rest: Partial<Launch> = {}): Promise<Launched> {
    const mint = (await world.wallet(0n)).id;
    const keys = curveKeys(launchpad, mint, quoteMint);
    await world.ok(createCurve(launchpad, keys, launch(rest)));
    const base = await world.token(mint, user.id);
    const [buys, sells] = [curveAccounts(keys, quoteMint), curveAccounts(keys, mint)];
    const buyer = { user: user.id, userIn: quote, userOut: base };
    const seller = { user: user.id, userIn: base, userOut: quote };
    return {
      keys,
      base,
      state: () => readCurve(keys.id, world.data(keys.id)!)!,
      buy: (amount, minOut = 0n) => swapExactIn(launchpad, buys, buyer, amount, minOut),
      sell: (amount, minOut = 0n) => swapExactIn(launchpad, sells, seller, amount, minOut),
      buyExact: (out, maxIn = MAX) => swapExactOut(launchpad, buys, buyer, out, maxIn),
      sellExact: (out, maxIn = MAX) => swapExactOut(launchpad, sells, seller, out, maxIn),
    };
  }
  const result = async (instruction: Instruction): Promise<string> => (await world.send(instruction)).result;

  test('a token is made whole: its supply, its curve, no authority left', async () => {
    const mint = (await world.wallet(0n)).id;
    const keys = curveKeys(launchpad, mint, quoteMint);
    // Coins sent to the addresses beforehand do not stop it.
    for (const id of [mint, keys.id, keys.baseVault]) world.fund(id, 1_000_000n);
    const done = await world.ok(createCurve(launchpad, keys, launch()));
    const curve = readCurve(keys.id, world.data(keys.id)!)!;
    expect(curve).toMatchObject({ ...keys, creator: creator.id, status: 'trading', name: 'Tide ✓', symbol: 'TIDE' });
    expect([world.supply(mint), world.held(keys.baseVault)]).toEqual([10n ** 15n, 10n ** 15n]);
    expect(world.data(mint)!.readUInt32LE(0)).toBe(0);
    const { virtualQuote, virtualBase, forSale, name, symbol, uri, poolFeeBps } = curve;
    expect(readLaunchEvent(done.events[0]!)).toEqual({
      kind: 'created',
      curve: keys.id,
      mint,
      quoteMint,
      creator: creator.id,
      virtualQuote,
      virtualBase,
      forSale,
      supply: 10n ** 15n,
      feeBps: 100,
      poolFeeBps,
      name,
      symbol,
      uri,
    });
    expect(await result(createCurve(launchpad, keys, launch()))).toBe('curve.Exists');
  });

  test('random trades agree with the model, and the vaults always cover what is owed', async () => {
    await withSeed('random trades', async (random: SeededRandom) => {
      const it = await launched({
        virtualQuote: BigInt(1_000_000 + random.below(2 ** 31)),
        feeBps: random.below(1001),
      });
      for (let i = 0; i < scaled(300, 30); i++) {
        const before = it.state();
        const [held, inQuote] = [world.held(it.base)!, world.held(quote)!];
        const amount = BigInt(random.below(10 ** (1 + random.below(14))));
        const kind = random.below(4);
        const model = [curveBuy, curveSell, curveBuyExact, curveSellExact][kind]!;
        let expected = amount === 0n ? null : model(before, amount);
        if (expected && kind % 2 === 1 && expected.input > held) expected = null;
        const instruction = [it.buy, it.sell, it.buyExact, it.sellExact][kind]!(amount);
        const done = await world.send(instruction);
        if (before.status !== 'trading') {
          expect(done.result).toBe('curve.Complete');
          break;
        }
        expect(done.result === 'ok').toBe(expected !== null);
        if (!expected) continue;
        const after = it.state();
        const event = readLaunchEvent(done.events[0]!);
        const { virtualQuote, virtualBase, realQuote, remaining } = after;
        const side = kind % 2 === 0 ? 'buy' : 'sell';
        expect(event).toEqual({
          ...{ kind: 'trade', curve: it.keys.id, user: user.id, side, ...expected },
          ...{ virtualQuote, virtualBase, realQuote, remaining },
        });
        const [moved, paid] = [world.held(it.base)! - held, world.held(quote)! - inQuote];
        expect([moved, paid]).toEqual(
          side === 'buy' ? [expected.output, -expected.input] : [-expected.input, expected.output],
        );
        expect(world.held(it.keys.quoteVault)).toBe(realQuote + after.fees);
        expect(world.held(it.keys.baseVault)).toBe(remaining + after.forPool);
        expect(virtualQuote * virtualBase).toBeGreaterThanOrEqual(before.virtualQuote * before.virtualBase);
      }
    });
  });

  test('the last buy takes what is left, then the curve becomes a pool that trades', async () => {
    const it = await launched();
    await world.ok(it.buy(10_000_000_000n));
    expect(progressBps(it.state())).toBeGreaterThan(2000);
    const graduation = { launchpad, amm, payer: user.id, curve: it.keys, poolFeeBps: 25 };
    expect(await result(graduate(graduation))).toBe('curve.NotComplete');
    const left = it.state().remaining;
    const last = curveBuy(it.state(), 10n ** 12n)!;
    expect(last.output).toBe(left);
    const spent = world.held(quote)!;
    await world.ok(it.buy(10n ** 12n));
    expect(spent - world.held(quote)!).toBe(last.input);
    expect([it.state().status, progressBps(it.state())]).toEqual(['complete', 10_000]);
    for (const trade of [it.buy(1_000n), it.sell(1_000n), it.buyExact(1n), it.sellExact(1n)]) {
      expect(await result(trade)).toBe('curve.Complete');
    }
    const { realQuote, forPool, fees } = it.state();
    const done = await world.ok(graduate(graduation));
    const pool = poolKeys(amm, it.keys.mint, quoteMint, it.keys.id, 25);
    expect(readLaunchEvent(done.events.at(-1)!)).toMatchObject({
      ...{ kind: 'graduated', curve: it.keys.id, mint: it.keys.mint, pool: pool.id },
      ...{ base: forPool, quote: realQuote },
    });
    expect(it.state()).toMatchObject({ status: 'graduated', pool: pool.id, forPool: 0n, realQuote: 0n });
    expect(readAmmPool(pool.id, world.data(pool.id)!)).toEqual(pool);
    expect(await result(graduate(graduation))).toBe('curve.NotComplete');
    expect(await result(it.buy(1_000n))).toBe('curve.Complete');
    // What is left in the curve's vaults are the fees, and the shares are the curve's.
    expect([world.held(it.keys.baseVault), world.held(it.keys.quoteVault)]).toEqual([0n, fees]);
    const shares = derive(launchpad, Buffer.from('shares'), Buffer.from(it.keys.id, 'hex')).id;
    expect(world.held(shares)).toBe(world.supply(pool.shareMint));
    const accounts: LiquidityAccounts = { user: user.id, userA: it.base, userB: quote, userShares: shares };
    expect(await result(removeLiquidity(amm, pool, accounts, 1n, 0n, 0n))).not.toBe('ok');
    const trader = { user: user.id, userIn: quote, userOut: it.base };
    const out = poolOut(realQuote, forPool, 1_000_000_000n, 25n)!;
    const held = world.held(it.base)!;
    await world.ok(swapExactIn(amm, poolAccounts(pool, quoteMint), trader, 1_000_000_000n, out));
    expect(world.held(it.base)! - held).toBe(out);
    const toCreator = await world.token(quoteMint, creator.id);
    await world.ok(claimFees(launchpad, it.keys, creator.id, toCreator));
    expect([world.held(toCreator), world.held(it.keys.quoteVault)]).toEqual([fees, 0n]);
  });

  test('a curve is a venue of the swap program, in both modes and both directions', async () => {
    const it = await launched();
    const swap = await world.deploy('swap');
    await world.ok(initConfig(swap, world.payer.id, null, 0));
    await world.ok(addRow(swap, world.payer.id, { program: launchpad, kind: 'curve', live: true }));
    const order = (mode: 'exactIn' | 'exactOut', buys: boolean, amount: bigint): Instruction => {
      const [source, destination] = buys ? [quote, it.base] : [it.base, quote];
      const places = curveAccounts(it.keys, buys ? quoteMint : it.keys.mint);
      const legs: Leg[] = [{ shareBps: 10_000, hops: [{ venue: launchpad, ...places, userOut: destination }] }];
      return route(swap, {
        mode,
        user: user.id,
        source,
        destination,
        amount,
        limit: mode === 'exactIn' ? 1n : MAX,
        legs,
      });
    };
    const steps = [
      ['exactIn', true, 1_000_000_000n, curveBuy],
      ['exactOut', true, 123_456_789n, curveBuyExact],
      ['exactIn', false, 987_654_321n, curveSell],
      ['exactOut', false, 12_345n, curveSellExact],
    ] as const;
    for (const [mode, buys, amount, model] of steps) {
      const expected = model(it.state(), amount)!;
      const [held, inQuote] = [world.held(it.base)!, world.held(quote)!];
      await world.ok(order(mode, buys, amount));
      const [base, paid] = [world.held(it.base)! - held, world.held(quote)! - inQuote];
      expect(buys ? [base, -paid] : [-base, paid]).toEqual(
        buys ? [expected.output, expected.input] : [expected.input, expected.output],
      );
    }
  });

  test('refusals', async () => {
    const it = await launched();
    const other = await launched();
    await world.ok(it.buy(1_000_000n), other.buy(5_000_000n));
    const buy = it.buy(1_000n);
    const at = (instruction: Instruction, index: number, id: Hex): Instruction => ({
      ...instruction,
      accounts: instruction.accounts.map((use, i) => (i === index ? { ...use, id } : use)),
    });
    const unsigned = (instruction: Instruction, index: number): Instruction => ({
      ...instruction,
      accounts: instruction.accounts.map((use, i) => (i === index ? { ...use, signer: false } : use)),
    });
    const expected = curveBuy(it.state(), 1_000n)!;
    const cases: [Instruction, string][] = [
      [unsigned(buy, 1), 'curve.Signer'],
      [at(buy, 0, other.keys.id), 'curve.Vault'],
      [at(buy, 4, other.keys.quoteVault), 'curve.Vault'],
      [at(buy, 5, other.keys.baseVault), 'curve.Vault'],
      [at(buy, 0, amm), 'curve.Curve'],
      [{ ...buy, accounts: [reads(it.keys.id), ...buy.accounts.slice(1)] }, 'curve.Curve'],
      // An account of the trader as the vault that is paid.
      [at(at(buy, 4, it.base), 5, it.keys.quoteVault), 'curve.Vault'],
      [at(buy, 2, it.keys.quoteVault), 'curve.Token'],
      [at(buy, 3, it.keys.baseVault), 'curve.Token'],
      [it.buy(1_000n, expected.output + 1n), 'curve.Slippage'],
      [it.buyExact(1_000_000n, 1n), 'curve.Slippage'],
      [it.buy(0n), 'curve.Amount'],
      [it.sell(1n), 'curve.Amount'],
      [it.buyExact(it.state().remaining + 1n), 'curve.Overflow'],
      [it.sellExact(it.state().realQuote), 'curve.Overflow'],
      // More than was ever sold cannot come back.
      [it.sell(it.state().forSale - it.state().remaining + 1n), 'curve.Amount'],
      [{ ...buy, data: buy.data.subarray(0, 16) }, 'curve.Instruction'],
      [{ ...buy, accounts: buy.accounts.slice(0, 6) }, 'curve.Accounts'],
      [claimFees(launchpad, it.keys, user.id, quote), 'curve.Creator'],
      [unsigned(claimFees(launchpad, it.keys, creator.id, quote), 1), 'curve.Signer'],
      [at(claimFees(launchpad, it.keys, creator.id, quote), 2, other.keys.quoteVault), 'curve.Vault'],
      [initLaunchpad(launchpad, user.id, amm), 'curve.Authority'],
      [initLaunchpad(launchpad, world.payer.id, amm), 'curve.Exists'],
    ];
    for (const [instruction, name] of cases) expect([await result(instruction), name]).toEqual([name, name]);
  });

  test('refusals at the creation', async () => {
    const make = async (rest: Partial<Launch>): Promise<string> => {
      const mint = (await world.wallet(0n)).id;
      return result(createCurve(launchpad, curveKeys(launchpad, mint, quoteMint), launch(rest)));
    };
    expect(await make({ virtualQuote: 999_999n })).toBe('curve.Amount');
    expect(await make({ virtualQuote: 10n ** 18n + 1n })).toBe('curve.Amount');
    expect(await make({ feeBps: 1001 })).toBe('curve.Fee');
    expect(await make({ poolFeeBps: 1001 })).toBe('curve.Fee');
    expect(await make({ name: '' })).toBe('curve.Text');
    expect(await make({ name: 'x'.repeat(33) })).toBe('curve.Text');
    expect(await make({ symbol: 'x'.repeat(13) })).toBe('curve.Text');
    expect(await make({ uri: 'x'.repeat(129) })).toBe('curve.Text');
    expect(await make({ symbol: '' })).toBe('curve.Text');
    const mint = (await world.wallet(0n)).id;
    const create = createCurve(launchpad, curveKeys(launchpad, mint, quoteMint), launch());
    const fresh = await world.deploy('launchpad');
    const init = initLaunchpad(fresh, world.payer.id, amm);
    for (const [whole, signers] of [
      [create, [0, 1]],
      [init, []],
    ] as const) {
      expect(await result({ ...whole, accounts: whole.accounts.slice(0, -1) })).toBe('curve.Accounts');
      expect(await result({ ...whole, data: whole.data.subarray(0, 10) })).toBe('curve.Instruction');
      for (const index of signers) {
        const accounts = whole.accounts.map((use, i) => (i === index ? { ...use, signer: false } : use));
        expect(await result({ ...whole, accounts })).toBe('curve.Signer');
      }
    }
    const elsewhere = init.accounts.map((use, i) => (i === 1 ? writes(mint) : use));
    expect(await result({ ...init, accounts: elsewhere })).toBe('curve.Address');
    expect(await result(init)).toBe('ok');
    expect(await make({ name: 'x'.repeat(32), symbol: 'y'.repeat(12), uri: 'z'.repeat(128) })).toBe('ok');
  });

  test('graduation into another AMM than the deployer named, or without the curve, is refused', async () => {
    const it = await launched();
    await world.ok(it.buy(10n ** 12n));
    const wrong = { launchpad, amm: await world.deploy('amm'), payer: user.id, curve: it.keys, poolFeeBps: 25 };
    expect(await result(graduate(wrong))).toBe('curve.Program');
    const good = graduate({ ...wrong, amm });
    const replaced = (index: number, id: Hex): Instruction => ({
      ...good,
      accounts: good.accounts.map((use, i) => (i === index ? writes(id) : use)),
    });
    expect(await result(replaced(2, it.base))).toBe('curve.Vault');
    expect(await result(replaced(3, quote))).toBe('curve.Vault');
    expect(await result(replaced(11, it.base))).toBe('curve.Address');
    expect(await result(replaced(7, it.base))).toMatch(/^pool\./);
    expect(await result(replaced(14, it.keys.id))).toBe('curve.Config');
    expect(await result(good)).toBe('ok');
  });
});
