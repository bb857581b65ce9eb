import type { Hex } from '#libs/core/ids.js';
import { poolIn, poolOut } from '#libs/devkit/devnet/solana/market/program-amounts.js';
import { addLiquidity, initPool, type PoolKeys, poolAccounts, poolKeys } from '../amm-client.js';
import { type Instruction, SYSTEM_PROGRAM, TOKEN_PROGRAM_ID, u8, u32, u64, WRAPPED_MINT } from '../instruction.js';
import { addRow, type Hop, initConfig, type Leg, type ProgramRoute, route } from '../swap-client.js';
import { SvmWorld, type Wallet } from './svm-world.js';

/**
 * A market for the specs of the swap program: five mints (the fourth is the wrapped coin), pools between them, a user with an
 * account and a balance of each, a deployment with its config and a live row for the pools.
 */
export const BALANCE = 1_000_000_000_000n;

export class Market {
  private constructor(
    readonly world: SvmWorld,
    readonly admin: Wallet,
    readonly user: Wallet,
    readonly swap: Hex,
    readonly amm: Hex,
    readonly mints: readonly Hex[],
    readonly accounts: ReadonlyMap<Hex, Hex>,
    readonly pools: PoolKeys[],
  ) {}

  static async start(): Promise<Market> {
    const world = await SvmWorld.start();
    const [admin, user] = [await world.wallet(), await world.wallet(10_000_000_000_000n)];
    const [swap, amm] = [await world.deploy('swap', admin), await world.deploy('amm')];
    await world.ok(initConfig(swap, admin.id, null, 1000));
    await world.ok(addRow(swap, admin.id, { program: amm, kind: 'pool', live: true }));
    const mints = [await world.mint(), await world.mint(), await world.mint(), WRAPPED_MINT, await world.mint()];
    const accounts = new Map<Hex, Hex>();
    for (const mint of mints) accounts.set(mint, await funded(world, mint, user, BALANCE));
    const market = new Market(world, admin, user, swap, amm, mints, accounts, []);
    await market.addPool(0, 1, 30, 900_000_000n, 1_700_000_000n);
    await market.addPool(1, 2, 25, 800_000_000n, 500_000_000n);
    await market.addPool(0, 2, 100, 700_000_000n, 700_000_000n);
    await market.addPool(2, 3, 5, 600_000_000n, 3_000_000_000n);
    await market.addPool(3, 0, 0, 900_000_000n, 200_000_000n);
    await market.addPool(3, 4, 1000, 900_000_000n, 900_000_000n);
    return market;
  }

  async addPool(x: number, y: number, feeBps: number, ofX: bigint, ofY: bigint): Promise<PoolKeys> {
    const { world, amm, mints } = this;
    const provider = world.payer;
    const pool = poolKeys(amm, mints[x]!, mints[y]!, provider.id, feeBps);
    await world.ok(initPool(amm, provider.id, pool));
    const amounts = pool.mintA === mints[x] ? [ofX, ofY] : [ofY, ofX];
    const userA = await funded(world, pool.mintA, provider, amounts[0]!);
    const userB = await funded(world, pool.mintB, provider, amounts[1]!);
    const userShares = await world.token(pool.shareMint, provider.id);
    await world.ok(
      addLiquidity(amm, pool, { user: provider.id, userA, userB, userShares }, amounts[0]!, amounts[1]!, 1n),
    );
    this.pools.push(pool);
    return pool;
  }

  mint = (index: number): Hex => this.mints[index]!;
  account = (index: number): Hex => this.accounts.get(this.mint(index))!;
  held = (index: number): bigint => this.world.held(this.account(index))!;

  /** A hop at one of the pools that takes the mint of that index. */
  hop(poolIndex: number, mintIn: number): Hop {
    const pool = this.pools[poolIndex]!;
    const mintOut = pool.mintA === this.mint(mintIn) ? pool.mintB : pool.mintA;
    return { venue: this.amm, ...poolAccounts(pool, this.mint(mintIn)), userOut: this.accounts.get(mintOut)! };
  }

  reserves(hop: Hop): [bigint, bigint] {
    return [this.world.held(hop.vaultIn)!, this.world.held(hop.vaultOut)!];
  }

  feeOf = (hop: Hop): bigint => BigInt(this.pools.find((pool) => pool.id === hop.state)!.feeBps);

  /** A route from one mint to another; its last hops pay the destination. */
  order(from: number, to: number, legs: Leg[], rest: Partial<ProgramRoute> = {}): ProgramRoute {
    const destination = rest.destination ?? this.account(to);
    return {
      mode: 'exactIn',
      user: this.user.id,
      source: this.account(from),
      amount: 1_000_000n,
      limit: rest.mode === 'exactOut' ? 2n ** 63n : 1n,
      ...rest,
      destination,
      legs: legs.map((leg) => ({ ...leg, hops: leg.hops.with(-1, { ...leg.hops.at(-1)!, userOut: destination }) })),
    };
  }

  instruction(from: number, to: number, legs: Leg[], rest: Partial<ProgramRoute> = {}): Instruction {
    return route(this.swap, this.order(from, to, legs, rest));
  }

  /**
   * What the program must answer for a route over pools: the sums of input and output without a fee, in bigint and from
   * reserves that earlier hops already changed. Null: the program refuses.
   */
  expected(order: ProgramRoute): { given: bigint; received: bigint } | null {
    const held = new Map<Hex, bigint>();
    const reserve = (vault: Hex): bigint => held.get(vault) ?? this.world.held(vault)!;
    let [left, given, received] = [order.amount, 0n, 0n];
    for (const [index, leg] of order.legs.entries()) {
      const share = index + 1 === order.legs.length ? left : (order.amount * BigInt(leg.shareBps)) / 10_000n;
      left -= share;
      const amounts = this.amountsOf(order.mode, leg.hops, share, reserve);
      if (!amounts) return null;
      for (const [h, hop] of leg.hops.entries()) {
        held.set(hop.vaultIn, reserve(hop.vaultIn) + amounts[h]!);
        held.set(hop.vaultOut, reserve(hop.vaultOut) - amounts[h + 1]!);
      }
      given += amounts[0]!;
      received += amounts.at(-1)!;
    }
    return { given, received };
  }

  private amountsOf(mode: ProgramRoute['mode'], hops: readonly Hop[], share: bigint, reserve: (vault: Hex) => bigint) {
    const amounts = [share];
    const ordered = mode === 'exactIn' ? hops : [...hops].reverse();
    for (const hop of ordered) {
      const quote = mode === 'exactIn' ? poolOut : poolIn;
      const next = quote(reserve(hop.vaultIn), reserve(hop.vaultOut), amounts.at(-1)!, this.feeOf(hop));
      if (next === null) return null;
      amounts.push(next);
    }
    return mode === 'exactIn' ? amounts : amounts.reverse();
  }
}

/** A token account with a balance; of the wrapped coin by lamports. */
export async function funded(world: SvmWorld, mint: Hex, owner: Wallet, amount: bigint): Promise<Hex> {
  if (mint !== WRAPPED_MINT) return world.token(mint, owner.id, amount);
  const account = await world.token(mint, owner.id);
  const pay = Buffer.concat([u32(2), u64(amount)]);
  await world.ok(
    {
      program: SYSTEM_PROGRAM,
      accounts: [
        { id: world.payer.id, signer: true, writable: true },
        { id: account, signer: false, writable: true },
      ],
      data: pay,
    },
    { program: TOKEN_PROGRAM_ID, accounts: [{ id: account, signer: false, writable: true }], data: u8(17) },
  );
  return account;
}
