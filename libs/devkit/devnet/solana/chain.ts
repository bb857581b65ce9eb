import { createHash } from 'node:crypto';
import type { WireTransaction } from '#libs/chain/chains/solana/wire-transaction.js';
import { encodeBase58 } from '#libs/core/base58.js';
import { TidepoolError } from '#libs/core/errors.js';
import { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import { addressBytes } from './address-bytes.js';
import type { ChainFolder } from './chain-folder.js';
import type { Block, ChainAccount, Edit, Landed } from './chain-types.js';
import { Faucet } from './faucet.js';
import { type Depths, Ledger } from './ledger.js';
import { SLOT_HASHES_COUNT, Svm } from './svm.js';

/**
 * A chain of blocks over the virtual machine. The accounts are always those of running the present chain's blocks from
 * the first one on: a fork goes back to a snapshot, runs what survives, then makes the blocks that replace the rest.
 * Everything is synchronous; listeners are called after each block, when the chain is whole again.
 */
export interface ChainOptions {
  seed?: number;
  depths: Depths;
  /** Blocks kept as history. */
  keepBlocks: number;
  /** Whole Unix seconds; block times never go back. */
  now: () => number;
}

export interface ForkOptions {
  /** Share of the replaced blocks' transactions that the new ones leave out. 0.1 when absent. */
  drop?: number;
  /** New blocks take the slots of the old ones; otherwise later slots, and the old slots count as skipped. */
  sameSlots?: boolean;
}

/** Heights for which a blockhash is good. */
export const BLOCKHASH_AGE = 150;
const SNAPSHOT_EVERY = 32;
const STATE_EVERY = 1024;
const FAUCET_LAMPORTS = 500_000_000_000_000_000n;
const SYSTEM_PROGRAM = '11111111111111111111111111111111';
const RENT_EXEMPT_EPOCH = 0xffff_ffff_ffff_ffffn;

export class SolanaChain {
  readonly faucet: Faucet;
  readonly genesisHash: string;
  readonly ledger: Ledger;
  private svm = Svm.fresh();
  private readonly random: SeededRandom;
  private readonly queue = new Map<string, WireTransaction>();
  private readonly listeners = new Set<(block: Block) => void>();
  private bundles: (readonly WireTransaction[])[] = [];
  private edits: Edit[] = [];
  private snapshots: { height: number; bytes: Uint8Array }[] = [];
  private stateHeight = 0;
  private nextSlot = 0;
  private branch = 0;

  constructor(
    private readonly options: ChainOptions,
    private readonly folder: ChainFolder | null,
  ) {
    const seed = folder?.identity.seed ?? options.seed ?? 1;
    this.faucet = new Faucet(seed);
    this.random = new SeededRandom(seed);
    this.genesisHash = encodeBase58(sha256([`local solana genesis ${seed}`]));
    this.ledger = new Ledger(options.depths, Math.max(options.keepBlocks, 2 * SLOT_HASHES_COUNT));
    const found = folder?.read();
    if (found && found.blocks.length > 0) this.resume(found.blocks, found.branch, found.state);
    else this.genesis(folder?.identity.genesisTime ?? options.now());
  }

  onBlock(listener: (block: Block) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Queues a transaction for the next block; one already known is left as it is. */
  submit(transaction: WireTransaction): void {
    const { signature } = transaction;
    if (!this.ledger.bySignature(signature) && !this.queue.has(signature)) this.queue.set(signature, transaction);
  }

  /** Queues transactions that the next block holds one right after the other, all of them or none. */
  submitBundle(transactions: readonly WireTransaction[]): void {
    this.bundles.push(transactions);
  }

  isQueued(signature: string): boolean {
    return this.queue.has(signature);
  }

  /** Queues a change of state for the next block. One the machine refuses is an error at once, and changes nothing. */
  edit(edit: Edit): void {
    if (edit.kind === 'program' || edit.account.executable || edit.address.startsWith('Sysvar')) {
      try {
        Svm.restore(this.svm.snapshot()).edit(edit);
      } catch (cause) {
        throw new TidepoolError('devnet_edit', `${edit.address}: ${(cause as Error).message}`, { cause });
      }
    }
    this.edits.push(edit);
  }

  /** Makes the block of the next slot from all that is queued. */
  makeBlock(): Block {
    const edits = this.edits;
    const candidates = [...[...this.queue.values()].map((transaction) => [transaction]), ...this.bundles];
    this.edits = [];
    this.bundles = [];
    this.queue.clear();
    return this.build(this.nextSlot, edits, candidates);
  }

  /** Lets slots go by without a block. */
  skip(count: number): void {
    this.nextSlot += count;
  }

  /** Replaces the newest `depth` blocks by others, with most of their transactions. */
  fork(depth: number, { drop = 0.1, sameSlots = false }: ForkOptions = {}): Block[] {
    const { tip, root } = this.ledger;
    const most = tip.height - root.height;
    if (!Number.isInteger(depth) || depth < 1 || depth > most) {
      throw new TidepoolError('devnet_fork', `a fork replaces 1 to ${most} blocks, not ${depth}: older ones are final`);
    }
    const height = tip.height - depth;
    this.branch++;
    this.folder?.fork(height, this.branch);
    const replaced = this.ledger.cut(height);
    this.goTo(height);
    return replaced.map((old) => {
      const kept = old.transactions.filter(() => !this.random.chance(drop)).map((landed) => [landed.transaction]);
      return this.build(sameSlots ? old.slot : this.nextSlot, old.edits, kept);
    });
  }

  isBlockhashValid(blockhash: string, height = this.ledger.tip.height): boolean {
    const block = this.ledger.byHash(blockhash);
    return block !== undefined && height - block.height <= BLOCKHASH_AGE;
  }

  /** The machine after the newest block. Only reading and simulating is allowed. */
  get state(): Svm {
    return this.svm;
  }

  accountAt(block: Block, address: string): ChainAccount | null {
    return this.ledger.accountAt(block, address, (key) => this.svm.account(key));
  }

  programAccountsAt(block: Block, owner: string): Map<string, ChainAccount> {
    const accounts = this.svm.programAccounts(owner);
    for (const [address, was] of this.ledger.changesSince(block)) {
      if (was?.owner === owner) accounts.set(address, was);
      else accounts.delete(address);
    }
    return accounts;
  }

  decimalsOf(mint: string): number | null {
    return this.svm.decimalsOf(mint);
  }

  /** Keeps the newest final accounts in the folder, so that the next start has little to run again. */
  close(): void {
    this.keepState(0);
  }

  /** Each candidate is a transaction alone, or a bundle of several. */
  private build(slot: number, edits: readonly Edit[], candidates: readonly (readonly WireTransaction[])[]): Block {
    const parent = this.ledger.tip;
    const height = parent.height + 1;
    const time = Math.max(parent.time, this.options.now());
    const before = this.begin(slot, time, edits, parent);
    const transactions: Landed[] = [];
    const seen = new Set<string>();
    const fits = ({ signature, blockhash }: WireTransaction): boolean =>
      !seen.has(signature) && !this.ledger.bySignature(signature) && this.isBlockhashValid(blockhash, height);
    for (const candidate of candidates) {
      if (!candidate.every(fits) || (candidate.length > 1 && !this.runsWhole(candidate))) continue;
      for (const transaction of candidate) {
        const { landed, meta, before: changed } = this.svm.execute(transaction);
        if (!landed) continue;
        seen.add(transaction.signature);
        remember(before, changed);
        transactions.push({ transaction, meta, slot, blockTime: time });
      }
    }
    const names = transactions.map((landed) => landed.transaction.signature);
    const hashBytes = sha256([parent.hashBytes, `${slot} ${time} ${this.branch} ${edits.length} `, names.join(' ')]);
    const link = { slot, parentSlot: parent.slot, hash: encodeBase58(hashBytes), parentHash: parent.hash };
    const block: Block = { ...link, hashBytes, height, time, edits, transactions, before };
    this.folder?.block(block);
    this.take(block);
    for (const listener of this.listeners) listener(block);
    return block;
  }

  /** Whether every transaction of a bundle succeeds after those before it; tried on a copy of the machine. */
  private runsWhole(bundle: readonly WireTransaction[]): boolean {
    const trial = Svm.restore(this.svm.snapshot());
    return bundle.every((transaction) => {
      const { landed, meta } = trial.execute(transaction);
      return landed && meta.err === null;
    });
  }

  /** Opens a slot: clock, slot hashes and edits. Returns what the edits changed. */
  private begin(slot: number, time: number, edits: readonly Edit[], parent: Block | null): Block['before'] {
    const recent = parent ? this.ledger.range(parent.height - SLOT_HASHES_COUNT + 1, parent.height).reverse() : [];
    this.svm.beginSlot({ slot, time, slotHashes: recent.map((b) => ({ slot: b.slot, hash: b.hashBytes })) });
    const before: Block['before'] = new Map();
    for (const edit of edits) remember(before, this.svm.edit(edit));
    return before;
  }

  /** The block becomes the tip; the machine's state is the one after it. */
  private take(block: Block): void {
    this.ledger.add(block);
    this.nextSlot = Math.max(this.nextSlot, block.slot + 1);
    if (block.height % SNAPSHOT_EVERY === 0) this.keepSnapshot(block.height);
    this.keepState(STATE_EVERY);
  }

  private keepSnapshot(height: number): void {
    this.snapshots = this.snapshots.filter((snapshot) => snapshot.height < height);
    this.snapshots.push({ height, bytes: this.svm.snapshot() });
    const root = this.ledger.root.height;
    while (this.snapshots.length > 1 && (this.snapshots[1]?.height ?? root + 1) <= root) this.snapshots.shift();
  }

  private keepState(every: number): void {
    const [final] = this.snapshots;
    if (!this.folder || !final || final.height > this.ledger.root.height) return;
    if (final.height < this.stateHeight + Math.max(every, 1)) return;
    this.folder.state(final.height, final.bytes, Math.min(this.ledger.first.height, final.height - SLOT_HASHES_COUNT));
    this.stateHeight = final.height;
  }

  /** Brings the machine to what it was after the block at `height`, by a snapshot and the blocks since. */
  private goTo(height: number): void {
    this.snapshots = this.snapshots.filter((snapshot) => snapshot.height <= height);
    const from = this.snapshots[this.snapshots.length - 1];
    if (!from) throw new TidepoolError('devnet_state', `no snapshot of the accounts is at or below block ${height}`);
    this.svm = Svm.restore(from.bytes);
    for (const block of this.ledger.range(from.height + 1, height)) this.rerun(block);
  }

  /** Runs a known block again; whatever differs from its record is an error. */
  private rerun(block: Block): Block['before'] {
    const before = this.begin(block.slot, block.time, block.edits, this.ledger.atHeight(block.height - 1) ?? null);
    for (const { transaction, meta } of block.transactions) {
      const again = this.svm.execute(transaction);
      remember(before, again.before);
      if (String(again.meta.postBalances) === String(meta.postBalances)) continue;
      throw new TidepoolError('devnet_state', `${transaction.signature} ran differently in slot ${block.slot}`);
    }
    return before;
  }

  private genesis(time: number): void {
    const funds = { owner: SYSTEM_PROGRAM, data: new Uint8Array(0), executable: false, rentEpoch: RENT_EXEMPT_EPOCH };
    const account = { ...funds, lamports: FAUCET_LAMPORTS };
    const edits: Edit[] = [{ kind: 'account', address: this.faucet.address, account }];
    this.begin(0, time, edits, null);
    const link = { slot: 0, parentSlot: 0, hash: this.genesisHash, parentHash: SYSTEM_PROGRAM, height: 0, time };
    const hashBytes = addressBytes(this.genesisHash);
    const block: Block = { ...link, hashBytes, edits, transactions: [], before: new Map() };
    this.folder?.block(block);
    this.take(block);
  }

  /** Loads the recorded blocks, and runs those again that came after the kept accounts. */
  private resume(blocks: readonly Block[], branch: number, state: { height: number; bytes: Uint8Array } | null): void {
    this.branch = branch;
    this.stateHeight = state?.height ?? 0;
    if (state) {
      this.svm = Svm.restore(state.bytes);
      this.snapshots = [{ height: state.height, bytes: state.bytes }];
    } else if (blocks[0]?.height !== 0) {
      throw new TidepoolError('devnet_state', 'the folder lacks both the first block and the kept accounts');
    }
    for (const block of blocks) {
      const known = state !== null && block.height <= state.height;
      if (known) {
        this.ledger.add(block);
        this.nextSlot = block.slot + 1;
        continue;
      }
      const before = this.rerun(block);
      this.take({ ...block, before });
    }
  }
}

/** What an account was before a block is what it was before the first change in it. */
function remember(into: Block['before'], changes: Block['before']): void {
  for (const [address, was] of changes) if (!into.has(address)) into.set(address, was);
}

function sha256(parts: readonly (string | Uint8Array)[]): Uint8Array {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return new Uint8Array(hash.digest());
}
