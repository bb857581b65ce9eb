import { Keypair } from '@solana/web3.js';
import { Cluster } from '#apps/cli/src/program/cluster.js';
import { Sender } from '#apps/cli/src/program/sender.js';
import { encodeBase58 } from '#libs/core/base58.js';
import type { Hex } from '#libs/core/ids.js';
import {
  addLiquidity,
  bufferOf,
  type Instruction,
  initPool,
  type PoolKeys,
  poolAccounts,
  poolKeys,
  route,
  SYSTEM_PROGRAM,
  signs,
  TOKEN_PROGRAM_ID,
  u8,
  u32,
  u64,
  writes,
} from '#programs/client.js';
import { executable } from '#programs/executable.js';
import type { ProgramChain, Wallet } from './program-chain.js';

/** An AMM with one pool of two tokens, and a wallet that holds both: enough for a route. */
export class SwapMarket {
  readonly amm: string;
  private readonly ammId: Hex;
  private readonly cluster: Cluster;
  private readonly sender: Sender;
  private readonly accounts = new Map<Hex, Hex>();
  private pool!: PoolKeys;

  private constructor(
    private readonly world: ProgramChain,
    private readonly user: Wallet,
  ) {
    this.cluster = new Cluster(world.chain.rpcUrl, new AbortController().signal);
    this.sender = new Sender(this.cluster, user.keypair, { payer: user.id, priorityFee: 0n });
    const { publicKey } = Keypair.generate();
    this.amm = publicKey.toBase58();
    this.ammId = publicKey.toBuffer().toString('hex');
  }

  static async make(world: ProgramChain, user: Wallet): Promise<SwapMarket> {
    const market = new SwapMarket(world, user);
    await market.fill();
    return market;
  }

  private async fill(): Promise<void> {
    this.world.chain.deploy(this.amm, executable('amm'));
    this.world.slots(2);
    const mints = [await this.mint(), await this.mint()] as const;
    for (const mint of mints) this.accounts.set(mint, await this.token(mint, 1_000_000_000n));
    this.pool = poolKeys(this.ammId, mints[0], mints[1], this.user.id, 30);
    await this.run(initPool(this.ammId, this.user.id, this.pool));
    const [userA, userB] = [this.held(this.pool.mintA), this.held(this.pool.mintB)];
    const userShares = await this.token(this.pool.shareMint, 0n);
    const at = { user: this.user.id, userA, userB, userShares };
    await this.run(addLiquidity(this.ammId, this.pool, at, 500_000_000n, 500_000_000n, 1n));
  }

  /** Swaps through the program; answers what arrived. */
  async swap(program: Hex, amount: bigint): Promise<bigint> {
    const [from, to] = [this.held(this.pool.mintA), this.held(this.pool.mintB)];
    const hop = { venue: this.ammId, ...poolAccounts(this.pool, this.pool.mintA), userOut: to };
    const order = { mode: 'exactIn', user: this.user.id, source: from, destination: to, amount, limit: 1n } as const;
    const before = this.balance(to);
    await this.run(route(program, { ...order, legs: [{ shareBps: 10_000, hops: [hop] }] }));
    return this.balance(to) - before;
  }

  private held = (mint: Hex): Hex => this.accounts.get(mint) as Hex;

  private balance(account: Hex): bigint {
    const data = this.world.chain.account(encodeBase58(bufferOf(account)))?.data as Uint8Array;
    return Buffer.from(data).readBigUInt64LE(64);
  }

  private async run(instruction: Instruction, made?: { keypair: Keypair; bytes: number }): Promise<void> {
    const instructions = [instruction];
    if (made) {
      const id = made.keypair.publicKey.toBuffer();
      const rent = u64(await this.cluster.rent(made.bytes));
      instructions.unshift({
        program: SYSTEM_PROGRAM,
        accounts: [signs(this.user.id, true), signs(id.toString('hex'), true)],
        data: Buffer.concat([u32(0), rent, u64(BigInt(made.bytes)), bufferOf(TOKEN_PROGRAM_ID)]),
      });
    }
    await this.sender.run({ label: 'spec', instructions, units: 200_000, signers: made ? [made.keypair] : [] });
  }

  private async mint(): Promise<Hex> {
    const keypair = Keypair.generate();
    const id = keypair.publicKey.toBuffer().toString('hex');
    const data = Buffer.concat([u8(20), u8(6), bufferOf(this.user.id), u8(0)]);
    await this.run({ program: TOKEN_PROGRAM_ID, accounts: [writes(id)], data }, { keypair, bytes: 82 });
    return id;
  }

  private async token(mint: Hex, amount: bigint): Promise<Hex> {
    const keypair = Keypair.generate();
    const id = keypair.publicKey.toBuffer().toString('hex');
    const accounts = [writes(id), { id: mint, signer: false, writable: false }];
    const data = Buffer.concat([u8(18), bufferOf(this.user.id)]);
    await this.run({ program: TOKEN_PROGRAM_ID, accounts, data }, { keypair, bytes: 165 });
    if (amount > 0n) {
      const mintTo = [writes(mint), writes(id), signs(this.user.id)];
      await this.run({ program: TOKEN_PROGRAM_ID, accounts: mintTo, data: Buffer.concat([u8(7), u64(amount)]) });
    }
    return id;
  }
}
