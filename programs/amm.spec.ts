import type { Hex } from '#libs/core/ids.js';
import { poolDeposit, poolIn, poolOut, poolWithdrawal } from '#libs/devkit/devnet/solana/market/program-amounts.js';
import { type SeededRandom, scaled, withSeed } from '#libs/devkit/testing/seeded-random.js';
import {
  addLiquidity,
  initPool,
  type LiquidityAccounts,
  type PoolKeys,
  poolAccounts,
  poolKeys,
  removeLiquidity,
  swapExactIn,
  swapExactOut,
} from './amm-client.js';
import { type Instruction, reads, TOKEN_PROGRAM_ID } from './instruction.js';
import { readAmmPool, readPoolEvent } from './test/pool-data.js';
import { SvmWorld, type Wallet } from './test/svm-world.js';

/** Pools compared with their model in bigint, and what they must refuse. */
const MAX = 2n ** 64n - 1n;

describe('pools', () => {
  let world: SvmWorld;
  let amm: Hex;
  let user: Wallet;
  let result: (instruction: Instruction) => Promise<string>;
  beforeAll(async () => {
    world = await SvmWorld.start();
    amm = await world.deploy('amm');
    user = await world.wallet();
    result = async (instruction) => (await world.send(instruction)).result;
  });

  interface Opened {
    pool: PoolKeys;
    at: LiquidityAccounts;
    reserves(): [bigint, bigint];
    swap(aToB: boolean, amount: bigint, exactOut?: boolean, limit?: bigint): Instruction;
  }
  /** A fresh pool without liquidity, and a user rich in both tokens. */
  async function opened(feeBps: number, rich = 10n ** 18n): Promise<Opened> {
    const [x, y] = [await world.mint(), await world.mint()];
    const pool = poolKeys(amm, x, y, world.payer.id, feeBps);
    await world.ok(initPool(amm, world.payer.id, pool));
    const userA = await world.token(pool.mintA, user.id, rich);
    const userB = await world.token(pool.mintB, user.id, rich);
    const at = { user: user.id, userA, userB, userShares: await world.token(pool.shareMint, user.id) };
    return {
      pool,
      at,
      reserves: () => [world.held(pool.vaultA)!, world.held(pool.vaultB)!],
      swap: (aToB, amount, exactOut = false, limit = exactOut ? MAX : 0n) => {
        const places = poolAccounts(pool, aToB ? pool.mintA : pool.mintB);
        const [userIn, userOut] = aToB ? [userA, userB] : [userB, userA];
        return (exactOut ? swapExactOut : swapExactIn)(amm, places, { user: user.id, userIn, userOut }, amount, limit);
      },
    };
  }

  test('a pool is made once, at its own address, and its event says what it is', async () => {
    const { pool } = await opened(30);
    expect(readAmmPool(pool.id, world.data(pool.id)!)).toEqual(pool);
    expect(readAmmPool(pool.id, world.data(pool.vaultA)!)).toBeNull();
    expect(await result(initPool(amm, world.payer.id, pool))).toBe('pool.Exists');
    const other = poolKeys(amm, pool.mintA, pool.mintB, world.payer.id, 31);
    const { id: key, mintA, mintB, creator, feeBps } = other;
    // Coins sent to the addresses beforehand do not stop it.
    for (const id of [other.id, other.vaultA, other.shareMint]) world.fund(id, 1_000_000n);
    const done = await world.ok(initPool(amm, world.payer.id, other));
    expect(readPoolEvent(done.events[0]!)).toEqual({ kind: 'pool', pool: key, mintA, mintB, creator, feeBps });
  });

  test('random deposits, withdrawals and swaps agree with the model, and a share never loses value', async () => {
    await withSeed('random pools', async (random: SeededRandom) => {
      for (const feeBps of [0, 30, random.below(1001)]) {
        const it = await opened(feeBps);
        const { pool, at } = it;
        const first = [0, 0].map(() => BigInt(2000 + random.below(10 ** (5 + random.below(9))))) as [bigint, bigint];
        await world.ok(addLiquidity(amm, pool, at, ...first, 1n));
        for (let i = 0; i < scaled(200, 20); i++) {
          const [a, b] = it.reserves();
          const total = world.supply(pool.shareMint) + 1000n;
          const kind = random.below(6);
          const amount = BigInt(random.below(10 ** (1 + random.below(12))));
          let done: Awaited<ReturnType<SvmWorld['send']>>;
          if (kind < 4) {
            const [aToB, exactOut] = [kind % 2 === 0, kind >= 2];
            const [rIn, rOut] = aToB ? [a, b] : [b, a];
            const quote = (exactOut ? poolIn : poolOut)(rIn, rOut, amount, BigInt(feeBps));
            // A limit one unit beyond the quote is refused, the quote itself is not.
            if (quote !== null) {
              const beyond = exactOut ? quote - 1n : quote + 1n;
              expect(await result(it.swap(aToB, amount, exactOut, beyond))).toBe('pool.Slippage');
            }
            done = await world.send(it.swap(aToB, amount, exactOut, quote ?? undefined));
            expect(done.result === 'ok').toBe(quote !== null);
            if (quote === null) continue;
            const [input, output] = exactOut ? [quote, amount] : [amount, quote];
            const [reserveIn, reserveOut] = [rIn + input, rOut - output];
            expect(it.reserves()).toEqual(aToB ? [reserveIn, reserveOut] : [reserveOut, reserveIn]);
            const event = { kind: 'swap', pool: pool.id, user: user.id, aToB, input, output, reserveIn, reserveOut };
            expect(readPoolEvent(done.events[0]!)).toEqual(event);
          } else if (kind === 4) {
            const other = BigInt(random.below(10 ** 9));
            const expected = poolDeposit(a, b, total - 1000n, amount, other);
            const good = expected.shares > 0n;
            done = await world.send(addLiquidity(amm, pool, at, amount, other, good ? expected.shares : 0n));
            expect(done.result).toBe(good ? 'ok' : 'pool.Amount');
            if (good) expect(readPoolEvent(done.events[0]!)).toMatchObject({ kind: 'add', ...expected });
          } else {
            const shares = amount % (total - 1000n || 1n);
            const expected = poolWithdrawal(a, b, total - 1000n, shares);
            done = await world.send(removeLiquidity(amm, pool, at, shares, expected.a, expected.b));
            expect(done.result).toBe(shares === 0n ? 'pool.Amount' : 'ok');
            if (shares > 0n) expect(readPoolEvent(done.events[0]!)).toMatchObject({ kind: 'remove', ...expected });
          }
          const [nowA, nowB] = it.reserves();
          const now = world.supply(pool.shareMint) + 1000n;
          // The product per share squared never falls: value moves only towards the pool.
          expect(nowA * nowB * total * total).toBeGreaterThanOrEqual(a * b * now * now);
        }
      }
    });
  });

  test('amounts at the edge of 64 bits are exact or refused, never wrapped', async () => {
    const it = await opened(0, 2n ** 63n);
    await world.ok(addLiquidity(amm, it.pool, it.at, 2n ** 62n, 2n ** 62n, 1n));
    const [a, b] = it.reserves();
    expect(world.held(it.at.userShares)).toBe(2n ** 62n - 1000n);
    expect(await result(it.swap(true, MAX))).toBe('pool.Overflow');
    expect(await result(it.swap(true, b, true))).toBe('pool.Overflow');
    expect(await result(it.swap(true, b - 1n, true))).toBe('pool.Overflow');
    const out = poolOut(a, b, 2n ** 61n, 0n)!;
    await world.ok(it.swap(true, 2n ** 61n, false, out));
    expect(b - world.held(it.pool.vaultB)!).toBe(out);
    expect(await result(addLiquidity(amm, it.pool, it.at, MAX, MAX, 1n))).not.toBe('ok');
  });

  test('refusals', async () => {
    const [it, other] = [await opened(30), await opened(30)];
    const { pool, at } = it;
    expect(await result(it.swap(true, 1_000n))).toBe('pool.Amount');
    expect(await result(addLiquidity(amm, pool, at, 1_000n, 1_000n, 1n))).toBe('pool.Amount');
    for (const each of [it, other]) await world.ok(addLiquidity(amm, each.pool, each.at, 10n ** 9n, 10n ** 9n, 1n));
    const swap = it.swap(true, 1_000n);
    const add = addLiquidity(amm, pool, at, 1_000n, 1_000n, 1n);
    const remove = removeLiquidity(amm, pool, at, 1_000n, 1n, 1n);
    const change = (instruction: Instruction, index: number, id: Hex): Instruction => ({
      ...instruction,
      accounts: instruction.accounts.map((use, i) => (i === index ? { ...use, id } : use)),
    });
    const unsigned = (instruction: Instruction, index: number): Instruction => ({
      ...instruction,
      accounts: instruction.accounts.map((use, i) => (i === index ? { ...use, signer: false } : use)),
    });
    const stranger = await world.wallet();
    const theirs = await world.token(pool.mintA, stranger.id, 10n ** 9n);
    const fresh = poolKeys(amm, pool.mintA, pool.mintB, user.id, 7);
    const init = initPool(amm, user.id, fresh);
    const dear = { ...fresh, feeBps: 1001 };
    const cases: [Instruction, string][] = [
      [unsigned(swap, 1), 'pool.Signer'],
      [unsigned(add, 1), 'pool.Signer'],
      [unsigned(remove, 1), 'pool.Signer'],
      [change(swap, 0, other.pool.id), 'pool.Vault'],
      [change(swap, 0, theirs), 'pool.Pool'],
      [change(swap, 4, other.pool.vaultA), 'pool.Vault'],
      [change(swap, 5, other.pool.vaultB), 'pool.Vault'],
      [change(swap, 5, pool.vaultA), 'pool.Vault'],
      // An account of the trader as the vault that is paid.
      [change(change(swap, 4, theirs), 5, pool.vaultA), 'pool.Vault'],
      [change(change(swap, 4, at.userB), 5, pool.vaultA), 'pool.Vault'],
      [change(swap, 2, pool.vaultA), 'pool.Token'],
      [change(swap, 3, pool.vaultB), 'pool.Token'],
      [change(swap, 2, pool.mintA), 'pool.Token'],
      // The token program: not the owner's account, not the same mint.
      [change(swap, 2, theirs), '4'],
      [change(swap, 3, at.userA), '3'],
      [change(add, 4, pool.vaultB), 'pool.Vault'],
      [change(add, 5, other.pool.vaultB), 'pool.Vault'],
      [change(add, 6, other.pool.shareMint), 'pool.Mint'],
      [change(add, 2, pool.vaultA), 'pool.Token'],
      [change(remove, 3, pool.vaultB), 'pool.Token'],
      [change(remove, 7, other.at.userShares), '3'],
      [removeLiquidity(amm, pool, at, 10n ** 12n, 1n, 1n), '1'],
      [removeLiquidity(amm, pool, at, 1_000n, 1_001n, 1n), 'pool.Slippage'],
      [removeLiquidity(amm, pool, at, 0n, 0n, 0n), 'pool.Amount'],
      [addLiquidity(amm, pool, at, 1_000n, 1_000n, 1_001n), 'pool.Slippage'],
      [addLiquidity(amm, pool, at, 0n, 1_000n, 0n), 'pool.Amount'],
      [it.swap(true, 0n), 'pool.Amount'],
      [it.swap(true, 1n), 'pool.Amount'],
      [it.swap(true, 0n, true), 'pool.Amount'],
      [{ ...swap, data: swap.data.subarray(0, -1) }, 'pool.Instruction'],
      [{ ...swap, data: Buffer.alloc(0) }, 'pool.Instruction'],
      [{ ...swap, data: Buffer.concat([Buffer.from([9]), swap.data.subarray(1)]) }, 'pool.Instruction'],
      [{ ...add, data: add.data.subarray(0, -1) }, 'pool.Instruction'],
      [{ ...swap, accounts: swap.accounts.slice(0, -1) }, 'pool.Accounts'],
      [{ ...add, accounts: add.accounts.slice(0, -1) }, 'pool.Accounts'],
      [{ ...init, accounts: init.accounts.slice(0, -1) }, 'pool.Accounts'],
      [change(init, 2, pool.id), 'pool.Exists'],
      [change(init, 2, (await world.wallet(0n)).id), 'pool.Address'],
      [change(init, 5, (await world.wallet(0n)).id), 'pool.Address'],
      [change(change(init, 3, pool.mintB), 4, pool.mintA), 'pool.Mint'],
      [change(init, 3, theirs), 'pool.Mint'],
      [change(init, 4, pool.mintA), 'pool.Mint'],
      [initPool(amm, user.id, dear), 'pool.Fee'],
      // A pool in the name of another creator.
      [unsigned(initPool(amm, user.id, { ...fresh, creator: stranger.id }), 1), 'pool.Signer'],
    ];
    for (const [instruction, name] of cases) expect([await result(instruction), name]).toEqual([name, name]);
    const frozen = { ...swap, accounts: swap.accounts.map((use, i) => (i === 4 ? reads(use.id) : use)) };
    expect(await result(frozen)).not.toBe('ok');
    expect(await result(change(swap, 0, TOKEN_PROGRAM_ID))).toBe('pool.Pool');
    expect(await result(swap)).toBe('ok');
  });
});
