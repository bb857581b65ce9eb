import { readFileSync } from 'node:fs';
import * as kit from '@solana/kit';
import { FailedTransactionMetadata, LiteSVM, type TransactionMetadata } from 'litesvm';
import { encodeBase58 } from '#libs/core/base58.js';
import type { Hex } from '#libs/core/ids.js';
import { executablePath } from '../build.mjs';
import { errorName } from '../errors.js';
import { bufferOf, type Instruction, idOf, SYSTEM_PROGRAM, TOKEN_PROGRAM_ID, u8, u64 } from '../instruction.js';
import { deployment } from './deployment.js';

/**
 * A virtual machine with the programs, wallets that sign, mints and token accounts. Transactions are v1 and signed; every
 * state but foreign or broken accounts is reached by transactions alone.
 */
export interface Wallet {
  id: Hex;
  signer: kit.KeyPairSigner;
}

export interface Outcome {
  /** `ok`, the name of a program's error, the code of another one, or the runtime's name. */
  result: string;
  units: number;
  /** Bytes of the first field of each `Program data:` line. */
  events: Buffer[];
  logs: string[];
  returned: Buffer;
}

const address = (id: Hex): kit.Address => encodeBase58(bufferOf(id)) as kit.Address;
const UNITS = 1_400_000;

export class SvmWorld {
  readonly svm = new LiteSVM().withNativeMints();
  /** Bytes that the accounts of one transaction may have; programs of venues are large. */
  loadedBytes = 1 << 22;
  private readonly wallets = new Map<Hex, Wallet>();
  private constructor(readonly payer: Wallet) {}

  static async start(): Promise<SvmWorld> {
    const payer = await newWallet();
    const world = new SvmWorld(payer);
    world.wallets.set(payer.id, payer);
    world.fund(payer.id, 10_000_000_000_000n);
    return world;
  }

  async wallet(lamports = 100_000_000_000n): Promise<Wallet> {
    const wallet = await newWallet();
    this.wallets.set(wallet.id, wallet);
    if (lamports > 0n) this.fund(wallet.id, lamports);
    return wallet;
  }

  fund(id: Hex, lamports: bigint): void {
    this.svm.airdrop(address(id), kit.lamports(lamports));
  }

  lamports(id: Hex): bigint {
    return this.svm.getBalance(address(id)) ?? 0n;
  }

  data(id: Hex): Buffer | null {
    const found = this.svm.getAccount(address(id));
    return found.exists ? Buffer.from(found.data) : null;
  }

  /** An account no transaction could make. */
  put(id: Hex, owner: Hex, data: Uint8Array, lamports = this.rent(data.length)): void {
    this.svm.setAccount({
      address: address(id),
      data: new Uint8Array(data),
      executable: false,
      lamports: kit.lamports(lamports),
      programAddress: address(owner),
      space: BigInt(data.length),
    });
  }

  rent(bytes: number): bigint {
    return this.svm.minimumBalanceForRentExemption(BigInt(bytes));
  }

  async send(...instructions: Instruction[]): Promise<Outcome> {
    const message = kit.pipe(
      kit.createTransactionMessage({ version: 1 }),
      (m) => kit.setTransactionMessageFeePayerSigner(this.payer.signer, m),
      (m) => this.svm.setTransactionMessageLifetimeUsingLatestBlockhash(m),
      (m) =>
        kit.setTransactionMessageConfig({ computeUnitLimit: UNITS, loadedAccountsDataSizeLimit: this.loadedBytes }, m),
      (m) =>
        kit.appendTransactionMessageInstructions(
          instructions.map((instruction) => this.forKit(instruction)),
          m,
        ),
    );
    const transaction = await kit.signTransactionMessageWithSigners(message as never);
    const result = this.svm.sendTransaction(transaction as never);
    this.svm.expireBlockhash();
    const failed = result instanceof FailedTransactionMetadata;
    return outcome(failed ? result.meta() : result, failed ? result : null);
  }

  /** As `send`, and it must succeed. */
  async ok(...instructions: Instruction[]): Promise<Outcome> {
    const done = await this.send(...instructions);
    if (done.result !== 'ok') throw new Error(`${done.result}\n${done.logs.join('\n')}`);
    return done;
  }

  private forKit({ program, accounts, data }: Instruction): never {
    return {
      programAddress: address(program),
      accounts: accounts.map(({ id, signer, writable }) => {
        const role = (signer ? 2 : 0) + (writable ? 1 : 0);
        const wallet = signer ? this.wallets.get(id) : undefined;
        return { address: address(id), role, ...(wallet ? { signer: wallet.signer } : {}) };
      }),
      data,
    } as never;
  }

  /** Deploys through the upgradeable loader. */
  async deploy(name: string, authority = this.payer): Promise<Hex> {
    const [buffer, program] = [await this.wallet(0n), await this.wallet(0n)];
    const code = readFileSync(executablePath(name));
    const steps = deployment({
      payer: this.payer.id,
      buffer: buffer.id,
      program: program.id,
      authority: authority.id,
      code,
      rent: (bytes) => this.rent(bytes),
    });
    for (const step of steps) await this.ok(...step);
    this.svm.warpToSlot(this.svm.getClock().slot + 2n);
    return program.id;
  }

  /** Puts a program there without the loader: it has no upgrade authority. */
  async place(name: string): Promise<Hex> {
    const program = await this.wallet(0n);
    this.svm.addProgram(address(program.id), readFileSync(executablePath(name)));
    return program.id;
  }

  /** A mint whose authority is the payer. */
  async mint(decimals = 6): Promise<Hex> {
    const mint = await this.wallet(0n);
    await this.ok(this.create(mint.id, 82), {
      program: TOKEN_PROGRAM_ID,
      accounts: [{ id: mint.id, signer: false, writable: true }],
      data: Buffer.concat([u8(20), u8(decimals), bufferOf(this.payer.id), u8(0)]),
    });
    return mint.id;
  }

  /** A token account, with that much minted into it. */
  async token(mint: Hex, owner: Hex, amount = 0n): Promise<Hex> {
    const account = await this.wallet(0n);
    await this.ok(this.create(account.id, 165), {
      program: TOKEN_PROGRAM_ID,
      accounts: [
        { id: account.id, signer: false, writable: true },
        { id: mint, signer: false, writable: false },
      ],
      data: Buffer.concat([u8(18), bufferOf(owner)]),
    });
    if (amount > 0n) await this.mintTo(mint, account.id, amount);
    return account.id;
  }

  async mintTo(mint: Hex, account: Hex, amount: bigint): Promise<void> {
    await this.ok({
      program: TOKEN_PROGRAM_ID,
      accounts: [
        { id: mint, signer: false, writable: true },
        { id: account, signer: false, writable: true },
        { id: this.payer.id, signer: true, writable: false },
      ],
      data: Buffer.concat([u8(7), u64(amount)]),
    });
  }

  private create(made: Hex, bytes: number): Instruction {
    return {
      program: SYSTEM_PROGRAM,
      accounts: [
        { id: this.payer.id, signer: true, writable: true },
        { id: made, signer: true, writable: true },
      ],
      data: Buffer.concat([Buffer.alloc(4), u64(this.rent(bytes)), u64(BigInt(bytes)), bufferOf(TOKEN_PROGRAM_ID)]),
    };
  }

  /** Balance of a token account; null when there is no such account. */
  held(account: Hex): bigint | null {
    const data = this.data(account);
    return data?.length === 165 ? data.readBigUInt64LE(64) : null;
  }

  supply(mint: Hex): bigint {
    return this.data(mint)!.readBigUInt64LE(36);
  }
}

async function newWallet(): Promise<Wallet> {
  const signer = await kit.generateKeyPairSigner();
  return { id: idOf(signer.address), signer };
}

function outcome(meta: TransactionMetadata, failed: FailedTransactionMetadata | null): Outcome {
  const logs = meta.logs();
  const events = logs
    .filter((line) => line.startsWith('Program data: '))
    .map((line) => Buffer.from(line.slice(14).split(' ')[0]!, 'base64'));
  return {
    result: failed ? failureOf(failed) : 'ok',
    units: Number(meta.computeUnitsConsumed()),
    events,
    logs,
    returned: Buffer.from(meta.returnData().data()),
  };
}

function failureOf(failed: FailedTransactionMetadata): string {
  const error = failed.err() as { err?: () => unknown };
  const inner = typeof error === 'object' && typeof error.err === 'function' ? error.err() : error;
  const code = (inner as { code?: number } | null)?.code;
  if (code !== undefined) return errorName(code) ?? String(code);
  const last = failed.meta().logs().at(-1) ?? '';
  return / failed: (.*)$/.exec(last)?.[1] ?? failed.toString();
}
