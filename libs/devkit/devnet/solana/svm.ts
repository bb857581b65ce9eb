import { Account, FailedTransactionMetadata, LiteSvm, type TransactionMetadata } from 'litesvm/dist/internal.js';
import { isWritable, type WireTransaction } from '#libs/chain/chains/solana/wire-transaction.js';
import { encodeBase58 } from '#libs/core/base58.js';
import { addressBytes } from './address-bytes.js';
import type { ChainAccount, Edit, InnerInstructions, TokenBalance, TransactionMeta } from './chain-types.js';
import { errorOf, type TransactionError } from './svm-errors.js';
import { isTokenProgram, readMint, readTokenAccount, uiTokenAmount } from './token-accounts.js';

/**
 * The virtual machine with its accounts. It knows nothing of blocks: blockhashes and duplicates are checked by the
 * chain, and signatures here. Same snapshot, same slots and same transactions give the same accounts and the same meta.
 */
export interface SvmExecution {
  /** False: the transaction could not even pay its fee, and no block may hold it. */
  landed: boolean;
  meta: TransactionMeta;
  /** Accounts that changed, with what they were before. */
  before: Map<string, ChainAccount | null>;
}

export interface Simulation {
  err: TransactionError | null;
  logs: string[];
  unitsConsumed: number;
  returnData: TransactionMeta['returnData'];
  innerInstructions: InnerInstructions[];
  keys: string[];
  /** Accounts after a run that succeeded. */
  accounts: Map<string, ChainAccount> | null;
}

export interface SlotStart {
  slot: number;
  time: number;
  /** Newest first, at most SLOT_HASHES_COUNT: the content of the SlotHashes sysvar. */
  slotHashes: readonly { slot: number; hash: Uint8Array }[];
}

const SLOT_HASHES = 'SysvarS1otHashes111111111111111111111111111';
/** Entries of the SlotHashes sysvar. */
export const SLOT_HASHES_COUNT = 512;
const SYSVAR_OWNER = 'Sysvar1111111111111111111111111111111111111';
const UPGRADEABLE_LOADER = 'BPFLoaderUpgradeab1e11111111111111111111111';
const TABLE_HEADER_BYTES = 56;
const SLOTS_PER_EPOCH = 432_000;

export class Svm {
  private constructor(private readonly vm: LiteSvm) {
    // The chain keeps its own window of blockhashes and its own index of signatures.
    vm.setBlockhashCheck(false);
    vm.setTransactionHistory(0n);
    vm.setSigverify(true);
  }

  static fresh(): Svm {
    return new Svm(new LiteSvm());
  }

  static restore(snapshot: Uint8Array): Svm {
    return new Svm(LiteSvm.fromBytes(snapshot));
  }

  snapshot(): Uint8Array {
    return this.vm.toBytes();
  }

  /** Sets clock and slot hashes for the transactions of a slot. */
  beginSlot({ slot, time, slotHashes }: SlotStart): void {
    const clock = this.vm.getClock();
    const epoch = BigInt(Math.floor(slot / SLOTS_PER_EPOCH));
    if (slot === 0 || clock.epoch !== epoch) clock.epochStartTimestamp = BigInt(time);
    clock.slot = BigInt(slot);
    clock.epoch = epoch;
    clock.leaderScheduleEpoch = epoch + 1n;
    clock.unixTimestamp = BigInt(time);
    this.vm.setClock(clock);
    // Always of full size: programs ask for that many bytes.
    const data = Buffer.alloc(8 + 40 * SLOT_HASHES_COUNT);
    data.writeBigUInt64LE(BigInt(slotHashes.length), 0);
    slotHashes.forEach((entry, index) => {
      data.writeBigUInt64LE(BigInt(entry.slot), 8 + 40 * index);
      data.set(entry.hash, 16 + 40 * index);
    });
    this.put(SLOT_HASHES, { lamports: 1n, owner: SYSVAR_OWNER, data, executable: false, rentEpoch: 0n });
  }

  account(address: string): ChainAccount | null {
    const found = this.vm.getAccount(addressBytes(address));
    return found ? fromNative(found) : null;
  }

  programAccounts(owner: string): Map<string, ChainAccount> {
    const found = this.vm.getProgramAccounts(addressBytes(owner));
    return new Map(found.map((entry) => [encodeBase58(entry.address), fromNative(entry.account())]));
  }

  rentExemption(bytes: number): bigint {
    return this.vm.minimumBalanceForRentExemption(BigInt(bytes));
  }

  /** Applies an edit and returns the accounts as they were before it. */
  edit(edit: Edit): Map<string, ChainAccount | null> {
    const before = new Map<string, ChainAccount | null>();
    const remember = (address: string): void => {
      if (!before.has(address)) before.set(address, this.account(address));
    };
    remember(edit.address);
    if (edit.kind === 'account') {
      this.put(edit.address, edit.account);
      return before;
    }
    const old = programDataOf(before.get(edit.address) ?? null);
    if (old) remember(old);
    this.vm.addProgram(addressBytes(edit.address), edit.code);
    const now = programDataOf(this.account(edit.address));
    if (now && !before.has(now)) before.set(now, null);
    return before;
  }

  /** The keys a transaction loads through lookup tables; a table that lacks them gives none. */
  loadedAddresses(transaction: WireTransaction): { writable: string[]; readonly: string[] } {
    const writable: string[] = [];
    const readonly: string[] = [];
    for (const lookup of transaction.lookups) {
      const data = this.account(lookup.table)?.data;
      const read = (index: number): string | null => {
        const at = TABLE_HEADER_BYTES + 32 * index;
        return data && at + 32 <= data.length ? encodeBase58(data.subarray(at, at + 32)) : null;
      };
      for (const index of lookup.writable) push(writable, read(index));
      for (const index of lookup.readonly) push(readonly, read(index));
    }
    return { writable, readonly };
  }

  execute(transaction: WireTransaction): SvmExecution {
    const loadedAddresses = this.loadedAddresses(transaction);
    const keys = [...transaction.keys, ...loadedAddresses.writable, ...loadedAddresses.readonly];
    const writableEnd = transaction.keys.length + loadedAddresses.writable.length;
    const writes = (index: number): boolean =>
      index < transaction.keys.length ? isWritable(transaction, index) : index < writableEnd;
    const before = keys.map((key) => this.account(key));
    const preTokenBalances = this.tokenBalances(keys, before);
    const result = this.vm.sendVersionedTransaction(transaction.wire);
    const after = keys.map((key, index) =>
      writes(index) ? this.account(key) : (before[index] as ChainAccount | null),
    );
    const failed = result instanceof FailedTransactionMetadata;
    const preBalances = before.map(lamportsOf);
    const postBalances = after.map(lamportsOf);
    // Lamports only move between the keys, so that what is missing afterwards is the fee.
    const fee = new Set(keys).size === keys.length ? sum(preBalances) - sum(postBalances) : 0n;
    const changed = new Map<string, ChainAccount | null>();
    keys.forEach((key, index) => {
      const was = before[index] as ChainAccount | null;
      if (writes(index) && !sameAccount(was, after[index] as ChainAccount | null)) changed.set(key, was);
    });
    const meta = failed ? result.meta() : result;
    return {
      landed: !failed || fee > 0n,
      before: changed,
      meta: {
        err: failed ? errorOf(result) : null,
        fee,
        preBalances,
        postBalances,
        preTokenBalances,
        postTokenBalances: this.tokenBalances(keys, after),
        innerInstructions: innerOf(meta),
        logMessages: meta.logs(),
        loadedAddresses,
        computeUnitsConsumed: Number(meta.computeUnitsConsumed()),
        returnData: returnDataOf(meta),
      },
    };
  }

  simulate(transaction: WireTransaction, sigVerify: boolean): Simulation {
    const loaded = this.loadedAddresses(transaction);
    this.vm.setSigverify(sigVerify);
    try {
      const result = this.vm.simulateVersionedTransaction(transaction.wire);
      const failed = result instanceof FailedTransactionMetadata;
      const meta = result.meta();
      return {
        err: failed ? errorOf(result) : null,
        logs: meta.logs(),
        unitsConsumed: Number(meta.computeUnitsConsumed()),
        returnData: returnDataOf(meta),
        innerInstructions: innerOf(meta),
        keys: [...transaction.keys, ...loaded.writable, ...loaded.readonly],
        accounts: failed
          ? null
          : new Map(result.postAccounts().map((e) => [encodeBase58(e.address), fromNative(e.account())])),
      };
    } finally {
      this.vm.setSigverify(true);
    }
  }

  decimalsOf(mint: string): number | null {
    const account = this.account(mint);
    return account && isTokenProgram(account.owner) ? (readMint(account.data)?.decimals ?? null) : null;
  }

  private tokenBalances(keys: readonly string[], accounts: readonly (ChainAccount | null)[]): TokenBalance[] {
    const balances: TokenBalance[] = [];
    accounts.forEach((account, accountIndex) => {
      if (!account || !isTokenProgram(account.owner)) return;
      const token = readTokenAccount(account.data);
      if (!token) return;
      const held = accounts[keys.indexOf(token.mint)];
      const decimals = held ? readMint(held.data)?.decimals : this.decimalsOf(token.mint);
      if (decimals === undefined || decimals === null) return;
      const { mint, owner, amount } = token;
      const uiAmount = uiTokenAmount(amount, decimals);
      balances.push({ accountIndex, mint, owner, programId: account.owner, uiTokenAmount: uiAmount });
    });
    return balances;
  }

  private put(address: string, account: ChainAccount): void {
    const { lamports, data, owner, executable, rentEpoch } = account;
    this.vm.setAccount(addressBytes(address), new Account(lamports, data, addressBytes(owner), executable, rentEpoch));
  }
}

function sameAccount(a: ChainAccount | null, b: ChainAccount | null): boolean {
  if (a === null || b === null) return a === b;
  const same = a.lamports === b.lamports && a.owner === b.owner && a.executable === b.executable;
  return same && Buffer.compare(a.data, b.data) === 0;
}

function programDataOf(account: ChainAccount | null): string | null {
  if (account?.owner !== UPGRADEABLE_LOADER || account.data[0] !== 2 || account.data.length < 36) return null;
  return encodeBase58(account.data.subarray(4, 36));
}

function fromNative(account: Account): ChainAccount {
  return {
    lamports: account.lamports(),
    owner: encodeBase58(account.owner()),
    data: account.data(),
    executable: account.executable(),
    rentEpoch: account.rentEpoch(),
  };
}

function innerOf(meta: TransactionMetadata): InnerInstructions[] {
  const found: InnerInstructions[] = [];
  meta.innerInstructions().forEach((list, index) => {
    if (list.length === 0) return;
    const instructions = list.map((inner) => {
      const compiled = inner.instruction();
      return {
        programIdIndex: compiled.programIdIndex(),
        accounts: [...compiled.accounts()],
        data: encodeBase58(compiled.data()),
        stackHeight: inner.stackHeight(),
      };
    });
    found.push({ index, instructions });
  });
  return found;
}

function returnDataOf(meta: TransactionMetadata): TransactionMeta['returnData'] {
  const returned = meta.returnData();
  const data = returned.data();
  if (data.length === 0) return null;
  return { programId: encodeBase58(returned.programId()), data: Buffer.from(data).toString('base64') };
}

function push(list: string[], value: string | null): void {
  if (value !== null) list.push(value);
}

function lamportsOf(account: ChainAccount | null): bigint {
  return account?.lamports ?? 0n;
}

function sum(values: readonly bigint[]): bigint {
  return values.reduce((total, value) => total + value, 0n);
}
