import { readTransaction } from '#libs/chain/chains/solana/wire-transaction.js';
import { TidepoolError } from '#libs/core/errors.js';
import { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import { addressBytes } from './address-bytes.js';
import { type ForkOptions, SolanaChain } from './chain.js';
import { ChainFolder } from './chain-folder.js';
import type { Block, ChainAccount, Edit } from './chain-types.js';
import { accountMethods } from './rpc-accounts.js';
import { blockMethods } from './rpc-blocks.js';
import { bundleMethods } from './rpc-bundles.js';
import { type Methods, RpcContext } from './rpc-context.js';
import { controlMethods } from './rpc-control.js';
import { SolanaRpcServer } from './rpc-server.js';
import { SolanaSubscriptions } from './rpc-subscriptions.js';
import { transactionMethods } from './rpc-transactions.js';
import type { LocalSolana, SlotSummary } from './running-solana.js';
import type { TransactionError } from './svm-errors.js';

export type { LocalSolana, SlotSummary } from './running-solana.js';

/**
 * A local Solana chain: real programs in a virtual machine, served as a node serves them. It runs in the process that
 * starts it, and every transaction blocks that process while it runs; a program that has anything else to do runs it in
 * a process of its own (spawn-solana.ts). Slots are made one at a time, by the clock or at a caller's request.
 */
export interface LocalSolanaOptions {
  /** Folder of the chain; absent: it lives in memory. */
  dataDir?: string;
  /** Port of HTTP; WebSockets are on the next one. 0: any free pair. */
  port?: number;
  slotMs?: number | (() => number);
  /** Whether slots are made by themselves; otherwise only by slot(). */
  autoSlots?: boolean;
  /** Seed of the faucet, the hashes and all random choices. A folder keeps its own. */
  seed?: number;
  /** Blocks that the confirmed and the final block are behind the newest one: 1 and 32 when absent. */
  confirmedDepth?: number;
  finalizedDepth?: number;
  /** Blocks of history that stay. */
  keepBlocks?: number;
  /** Share of automatic slots without a block, and share in which a fork comes instead. */
  skipRate?: number;
  forkRate?: number;
  /** Answer to a final slot without a block: -32007 of a node's own ledger, or -32009 of a long-term store. */
  skippedCode?: -32007 | -32009;
  /** Unix seconds. */
  now?: () => number;
  /** Further methods of the RPC, such as a market's. */
  methods?: Methods;
  /** Called before each slot made by itself: transactions to put into it. */
  beforeSlot?: (chain: LocalSolana) => readonly Uint8Array[];
  /** Called when the chain stops by itself; without it that error is thrown. */
  onFailure?: (error: Error) => void;
}

const DEFAULT_KEEP_BLOCKS = 20_000;

export async function startLocalSolana(options: LocalSolanaOptions = {}): Promise<LocalSolana> {
  const clock = options.now ?? ((): number => Date.now() / 1000);
  const now = (): number => Math.floor(clock());
  const { confirmedDepth = 1, finalizedDepth = 32, keepBlocks = DEFAULT_KEEP_BLOCKS } = options;
  if (confirmedDepth > finalizedDepth) {
    throw new TidepoolError('devnet_options', 'the confirmed block cannot lie behind the final one');
  }
  const folder = options.dataDir === undefined ? null : new ChainFolder(options.dataDir, options.seed, now());
  const depths = { confirmed: confirmedDepth, finalized: finalizedDepth };
  const chain = new SolanaChain({ seed: options.seed, depths, keepBlocks, now }, folder);
  const runner = new SolanaRunner(chain, folder?.found ?? false, options);
  const context = new RpcContext(chain, options.skippedCode ?? -32007);
  const methods = {
    ...accountMethods(context),
    ...blockMethods(context),
    ...transactionMethods(context),
    ...bundleMethods(context),
    ...controlMethods(runner),
    ...options.methods,
  };
  runner.server = await SolanaRpcServer.listen(methods, new SolanaSubscriptions(chain), options.port ?? 0);
  if (options.autoSlots ?? false) runner.resume();
  return runner;
}

class SolanaRunner implements LocalSolana {
  server!: SolanaRpcServer;
  private readonly random: SeededRandom;
  private timer: NodeJS.Timeout | null = null;
  private due = 0;

  constructor(
    private readonly chain: SolanaChain,
    readonly resumed: boolean,
    private readonly options: LocalSolanaOptions,
  ) {
    this.random = new SeededRandom((options.seed ?? 1) + 1);
  }

  get rpcUrl(): string {
    return `http://127.0.0.1:${this.server.port}`;
  }

  get wsUrl(): string {
    return `ws://127.0.0.1:${this.server.port + 1}`;
  }

  get genesisHash(): string {
    return this.chain.genesisHash;
  }

  get faucet(): string {
    return this.chain.faucet.address;
  }

  get oldestHeight(): number {
    const { first, tip } = this.chain.ledger;
    if (first.height === 0) return first.slot;
    const { keepBlocks = DEFAULT_KEEP_BLOCKS } = this.options;
    return (this.chain.ledger.atHeight(tip.height - Math.floor(keepBlocks / 2)) ?? first).slot;
  }

  slot(): SlotSummary {
    return summary(this.chain.makeBlock());
  }

  skip(count = 1): void {
    if (!Number.isSafeInteger(count) || count < 1 || count > 1_000_000) {
      throw new TidepoolError('devnet_skip', 'skip takes 1 to 1000000 slots');
    }
    this.chain.skip(count);
  }

  fork(depth: number, options?: ForkOptions): SlotSummary[] {
    return this.chain.fork(depth, options).map(summary);
  }

  send(wire: Uint8Array): string {
    const transaction = readTransaction(wire);
    this.chain.submit(transaction);
    return transaction.signature;
  }

  airdrop(address: string, lamports: bigint): string {
    addressBytes(address);
    return this.send(this.chain.faucet.transfer(address, lamports, this.blockhash()));
  }

  deploy(programId: string, code: Uint8Array): SlotSummary {
    addressBytes(programId);
    this.chain.edit({ kind: 'program', address: programId, code });
    return this.slot();
  }

  setAccount(address: string, account: ChainAccount): SlotSummary {
    addressBytes(address);
    this.chain.edit({ kind: 'account', address, account });
    return this.slot();
  }

  edit(edit: Edit): void {
    addressBytes(edit.address);
    this.chain.edit(edit);
  }

  account(address: string): ChainAccount | null {
    return this.chain.state.account(address);
  }

  resultOf(signature: string): TransactionError | null | undefined {
    return this.chain.ledger.bySignature(signature)?.meta.err;
  }

  blockhash(behind = 0): string {
    const { ledger } = this.chain;
    return (ledger.atHeight(Math.max(ledger.first.height, ledger.tip.height - behind)) ?? ledger.tip).hash;
  }

  pause(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
  }

  resume(): void {
    if (this.timer) return;
    this.due = Date.now();
    this.plan();
  }

  async stop(): Promise<void> {
    this.pause();
    await this.server.close();
    this.chain.close();
  }

  /** Slots keep their rhythm: after a slow slot the next one waits less; lost slots are not made later. */
  private plan(): void {
    const { slotMs = 400 } = this.options;
    const every = typeof slotMs === 'number' ? slotMs : slotMs();
    this.due = Math.max(this.due + every, Date.now());
    this.timer = setTimeout(() => this.tick(), this.due - Date.now());
  }

  private tick(): void {
    try {
      const { skipRate = 0, forkRate = 0, beforeSlot } = this.options;
      if (this.random.chance(skipRate)) {
        this.skip();
      } else {
        for (const wire of beforeSlot?.(this) ?? []) this.send(wire);
        this.slot();
        if (this.random.chance(forkRate)) this.forkSome();
      }
      this.plan();
    } catch (error) {
      this.timer = null;
      if (!this.options.onFailure) throw error;
      this.options.onFailure(error as Error);
    }
  }

  /** Short forks: what is not yet final and most likely not confirmed. */
  private forkSome(): void {
    const { tip, root } = this.chain.ledger;
    const depth = Math.min(this.random.between(1, 3), tip.height - root.height);
    if (depth > 0) this.fork(depth);
  }
}

function summary({ slot, parentSlot, height, hash, time, transactions }: Block): SlotSummary {
  return { slot, parentSlot, height, hash, time, signatures: transactions.map((t) => t.transaction.signature) };
}
