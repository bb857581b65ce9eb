import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type * as kit from '@solana/kit';
import type { ChainMoment, KnownAccounts, SolanaAccount } from '#libs/chain/chains/solana/accounts.js';
import { SYSTEM_PROGRAM, WRAPPED_SOL } from '#libs/chain/chains/solana/programs.js';
import type { SolanaVenueModule } from '#libs/chain/market-ports/solana/module.js';
import type { SolanaCall } from '#libs/chain/market-ports/solana/swap-instructions.js';
import { decodeBase58, encodeBase58 } from '#libs/core/base58.js';
import type { Hex } from '#libs/core/ids.js';
import { bufferOf, type Instruction, idOf, u64 } from '#programs/instruction.js';
import { addRow, initConfig, type ListedHop, type VenueKind } from '#programs/swap-client.js';
import { SvmWorld, type Wallet } from '#programs/test/svm-world.js';
import { type GenuinePool, wholeAccounts } from './genuine-pool.js';

const FOLDER = process.env.TIDEPOOL_GENUINE_PROGRAMS;
export const programFile = (program: string): string => join(FOLDER ?? '', `${program}.so`);

/** Null where the folder has the executable of that program, by its address. */
export const missingProgram = (program: string): string | null => {
  if (FOLDER === undefined) return 'TIDEPOOL_GENUINE_PROGRAMS names no folder';
  return existsSync(programFile(program)) ? null : `TIDEPOOL_GENUINE_PROGRAMS has no ${program}.so`;
};

export const text = (id: Hex): string => encodeBase58(bufferOf(id));
const ALL_BYTES = 64 << 20;
const WRAPPED_RENT = u64(2_039_280n);

/** A virtual machine with one venue's program and a deployment of the swap program that has a live row for it. */
export class GenuineWorld {
  private constructor(
    readonly world: SvmWorld,
    readonly module: SolanaVenueModule,
    readonly swap: Hex,
    readonly user: Wallet,
  ) {}

  static async start(module: SolanaVenueModule, code?: Uint8Array): Promise<GenuineWorld> {
    const world = await SvmWorld.start();
    world.loadedBytes = ALL_BYTES;
    const swap = await world.deploy('swap');
    const { program } = module.decoder;
    world.svm.addProgram(program as kit.Address, code ?? readFileSync(programFile(program)));
    await world.ok(initConfig(swap, world.payer.id, null, 1000));
    if (module.swapKind !== undefined)
      await world.ok(
        addRow(swap, world.payer.id, { program: idOf(program), kind: module.swapKind as VenueKind, live: true }),
      );
    return new GenuineWorld(world, module, swap, await world.wallet());
  }

  /** Puts the pool there, with its mints; the vaults belong to the address that the program signs for. */
  put(pool: GenuinePool): void {
    for (const [address, account] of wholeAccounts(pool)) this.write(address, account ?? NOTHING);
    const clock = this.world.svm.getClock();
    clock.slot = pool.at.slot;
    clock.unixTimestamp = pool.at.unixTime;
    this.world.svm.setClock(clock);
  }

  get moment(): ChainMoment {
    const { slot, unixTimestamp } = this.world.svm.getClock();
    return { slot, unixTime: unixTimestamp };
  }

  write(address: string, { owner, lamports, data }: SolanaAccount): void {
    this.world.put(idOf(address), idOf(owner), data, lamports);
  }

  read(address: string): SolanaAccount | null {
    const found = this.world.svm.getAccount(address as kit.Address);
    if (!found.exists) return null;
    return { owner: found.programAddress, lamports: found.lamports, data: Uint8Array.from(found.data) };
  }

  /** Everything that a quote and an instruction need, as it is now. */
  known(pool: string, mints: readonly string[]): KnownAccounts {
    const { pools, instructions } = this.module;
    const known = new Map<string, SolanaAccount | null>([[pool, this.read(pool)]]);
    for (;;) {
      const asked = [pools!.needs(pool, known, mints), instructions!.needs(pool, known, mints)];
      const needed = asked.flat().filter((a) => !known.has(a));
      if (needed.length === 0) return known;
      for (const address of needed) known.set(address, this.read(address));
    }
  }

  /** A token account of the user with that much in it. */
  tokens(mint: string, amount: bigint, owner = this.user.id): string {
    const address = encodeBase58(Buffer.from(randomId(), 'hex'));
    const data = Buffer.alloc(165);
    data.set(decodeBase58(mint)!);
    data.set(bufferOf(owner), 32);
    data.writeBigUInt64LE(amount, 64);
    data[108] = 1;
    const isWrapped = mint === WRAPPED_SOL;
    // Says that it is of coins, and which of its lamports are rent.
    if (isWrapped) data.set(Buffer.from([1, 0, 0, 0, ...WRAPPED_RENT]), 109);
    const lamports = isWrapped ? amount + WRAPPED_RENT.readBigUInt64LE() : 10n ** 9n;
    this.write(address, { owner: this.read(mint)!.owner, lamports, data });
    return address;
  }

  /** Lamports that a swap of the pool takes of the user for accounts of the venue. */
  rentsDue(pool: string): bigint {
    const due = (
      this.module.instructions!.deposits?.(pool, text(this.user.id), new Map([[pool, this.read(pool)]])) ?? []
    ).map(({ address, bytes, grows }) => {
      const found = this.read(address);
      const paid = grows ? this.world.rent(found!.data.length) : (found?.lamports ?? 0n);
      const rent = this.world.rent(bytes) - paid;
      return (found?.data.length ?? 0) >= bytes || rent < 0n ? 0n : rent;
    });
    return due.reduce((sum, each) => sum + each, 0n);
  }

  held = (address: string): bigint => Buffer.from(this.read(address)!.data).readBigUInt64LE(64);
}

const NOTHING: SolanaAccount = { owner: SYSTEM_PROGRAM, lamports: 0n, data: new Uint8Array(0) };
let ids = 0;
const randomId = (): string => (++ids).toString(16).padStart(16, '0').repeat(4);

/** The venue's instruction itself, as the trader would send it. */
export const directCall = (call: SolanaCall): Instruction => ({
  program: idOf(call.program),
  accounts: call.accounts.map(({ address, signs, writable }) => ({ id: idOf(address), signer: signs, writable })),
  data: Buffer.from(call.data),
});

export const hopOf = (call: SolanaCall, userOut: string, movesCoins: boolean): ListedHop => ({
  venue: idOf(call.program),
  userOut: idOf(userOut),
  list: call.accounts.map(({ address, writable }) => ({ id: idOf(address), signer: false, writable })),
  movesCoins,
});
