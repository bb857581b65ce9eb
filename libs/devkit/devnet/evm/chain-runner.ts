import { TidepoolError } from '#libs/core/errors.js';
import { keccakText } from '#libs/devkit/chain-builder/keccak-hex.js';
import { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import type { AnvilProcess } from './anvil-process.js';
import type { AnvilRpc } from './anvil-rpc.js';
import type { ChainFiles, ChainRecord } from './chain-files.js';
import { replaceBlocks } from './chain-reorg.js';
import { readCodePins } from './code-pins.js';
import { type Funding, fundingTransactions } from './funding.js';
import { MarketLife, walletsOf } from './market-life.js';
import type { ChainPool, ChainToken, MarketPlan } from './market-plan.js';
import { setUpMarket } from './market-setup.js';
import type { LocalSlug } from './markets/all.js';
import type { LocalChain, LocalChainOptions } from './running-chain.js';
import { mineBlock, nextNonces, type Outgoing, requireSuccess } from './transaction-sender.js';
import type { ChainV4Pool } from './uniswap-v4/chain-pool.js';

/** The running local chain: creates or resumes it, then makes its blocks, one step at a time. */

/**
 * States that eth_call can reach back to, in blocks: more than the 32 that a source reads block by block. Each is a whole copy in the
 * node's memory. Setting it also keeps anvil from spilling states to the home folder.
 */
export const KEPT_STATES = 40;
/** Later rules write the hash of each block into the state, of which the node keeps many copies. */
const HARDFORK = 'cancun';
/** Blocks that a chain keeps with their transactions beyond its first history. */
const KEPT_BEYOND_HISTORY = 384;
/** Of these the oldest that a start drops. */
const MOST_DROPPED_AT_START = 256;
export const SETUP_SPACING_SECONDS = 12;
export const MAX_SETUP_BLOCKS = 60;
const MAX_REORG = 6;
/** Chance of a reorg after a block when the last one is long past: nearly every watcher sees one within two minutes. */
const REORG_CHANCE = 1 / 25;
/** Failed attempts at a block, one after another, after which the chain gives up. */
const MAX_FAILURES = 5;
/** Saving takes longer as the chain grows; it may take this share of the time at most. */
const SAVE_SHARE = 0.03;
const SAVE_EVERY_MS = 20_000;
/** What a loss of the machine may take away stays above the 64 blocks after which anvil calls a block final. */
const SAVE_EVERY_BLOCKS = 56;
const DEFAULT_HISTORY_BLOCKS = 600;
/** A demo that runs for days need not fill logs and tables: from this height on blocks come at mainnet's pace. */
const SLOW_FROM_HEIGHT = 6_000;
const SLOW_BLOCK_TIME_MS = 12_000;

/**
 * Blocks whose transactions the node holds: while it runs, and right after a start. The difference is the time in which a
 * reader that begins at the oldest one finds every block.
 */
export function keptBlocks({ historyBlocks = DEFAULT_HISTORY_BLOCKS, keepBlocks }: LocalChainOptions) {
  const whileRunning = keepBlocks ?? historyBlocks + MAX_SETUP_BLOCKS + KEPT_BEYOND_HISTORY;
  return { whileRunning, afterStart: whileRunning - Math.min(MOST_DROPPED_AT_START, Math.floor(whileRunning / 2)) };
}

/** Undefined: the node's own. A chain that is found keeps the rules that it was made with. */
export function hardforkOf({ hardfork = HARDFORK }: LocalChainOptions, found: ChainRecord | null): string | undefined {
  return found === null ? (hardfork ?? undefined) : found.hardfork;
}

export class ChainRunner implements LocalChain {
  private chain!: ChainRecord;
  private pins!: Map<string, string>;
  private life!: MarketLife;
  private readonly random: SeededRandom;
  private timer: NodeJS.Timeout | null = null;
  private paused = true;
  private stopped = false;
  /** Steps run one after another on this chain of promises. */
  private queue: Promise<unknown> = Promise.resolve();
  private nextSave = Date.now() + SAVE_EVERY_MS;
  private blocksSinceSave = 0;
  private oldest = 0;
  private blocksSinceReorg = 0;
  private lastTimestamp = 0;
  private height = 0;
  private failures = 0;

  constructor(
    private readonly node: AnvilProcess,
    private readonly files: ChainFiles,
    private readonly market: MarketPlan,
    private readonly options: LocalChainOptions,
    private readonly found: ChainRecord | null,
  ) {
    this.random = new SeededRandom((found?.seed ?? options.seed ?? 1) + (found ? Date.now() % 1_000_000 : 0));
  }

  get slug(): LocalSlug {
    return this.market.slug as LocalSlug;
  }

  get rpc(): AnvilRpc {
    return this.node.rpc;
  }

  get rpcUrl(): string {
    return `http://127.0.0.1:${this.node.port}`;
  }

  get wsUrl(): string {
    return `ws://127.0.0.1:${this.node.port}`;
  }

  get chainId(): number {
    return this.chain.chainId;
  }

  get genesisHash(): string {
    return this.chain.genesisHash;
  }

  get tokens(): readonly ChainToken[] {
    return this.chain.tokens;
  }

  get pools(): readonly ChainPool[] {
    return this.chain.pools;
  }

  get v4Pools(): readonly ChainV4Pool[] {
    return this.chain.v4Pools ?? [];
  }

  get deployer(): string {
    return `0x${keccakText(`deployer ${this.chain.seed}`).slice(24)}`;
  }

  get codePins(): ReadonlyMap<string, string> {
    return this.pins;
  }

  get resumed(): boolean {
    return this.found !== null;
  }

  get nodePid(): number {
    return this.node.pid;
  }

  get oldestHeight(): number {
    return this.oldest;
  }

  get keptBlocks(): number {
    return keptBlocks(this.options).afterStart;
  }

  async headHeight(): Promise<number> {
    return this.height;
  }

  async begin(historySeconds: number): Promise<void> {
    const { rpc } = this.node;
    const genesis = await rpc.call<{ hash: string; timestamp: string }>('eth_getBlockByNumber', ['0x0', false]);
    await rpc.call('anvil_autoImpersonateAccount', [true]);
    if (this.found) {
      if (genesis.hash !== this.found.genesisHash) {
        throw new TidepoolError('devnet_state', 'the saved state of the local chain belongs to another chain');
      }
      this.chain = this.found;
      this.startTraders();
    } else {
      await this.create(genesis.hash, Number(genesis.timestamp), historySeconds);
    }
    this.pins = this.chain.codePins
      ? new Map(Object.entries(this.chain.codePins))
      : await readCodePins(rpc, this.market.exchange);
    await this.readHead();
    // A node that resumes has the state of its newest block and no older one, and a reader asks for states at blocks.
    if (this.found) this.oldest = this.height;
    await this.files.writeNodePid(this.node.pid);
    this.options.onProgress?.({ phase: 'ready', done: 1, total: 1 });
    void this.node.exited.then((reason) => {
      if (!this.stopped) this.fail(new TidepoolError('anvil_failed', reason));
    });
    if (this.options.autoMine !== false) this.resume();
  }

  private startTraders(): void {
    const { quiet = false, launches = true } = this.options;
    const { chain, market, deployer, random, rpc } = this;
    this.life = new MarketLife({ rpc, market, chain, deployer, random, quiet, launches });
  }

  private async create(genesisHash: string, genesisTime: number, historySeconds: number): Promise<void> {
    const seed = this.options.seed ?? 1;
    this.options.onProgress?.({ phase: 'setup', done: 0, total: 1 });
    const market = await setUpMarket(this.node.rpc, this.market, {
      deployer: `0x${keccakText(`deployer ${seed}`).slice(24)}`,
      wallets: walletsOf(seed),
      random: this.random,
      timestamp: this.historyEnd() - historySeconds - MAX_SETUP_BLOCKS * SETUP_SPACING_SECONDS,
      spacing: SETUP_SPACING_SECONDS,
    });
    const { tokens, pools, v4Pools } = market;
    const { chainId } = this.market;
    const codePins = Object.fromEntries(await readCodePins(this.node.rpc, this.market.exchange));
    const hardfork = hardforkOf(this.options, null);
    this.chain = { version: 1, seed, chainId, genesisHash, genesisTime, hardfork, tokens, pools, v4Pools, codePins };
    this.startTraders();
    await this.readHead();
    await this.makeHistory(this.options.historyBlocks ?? DEFAULT_HISTORY_BLOCKS);
    await this.files.saveState(this.node.rpc);
    await this.files.writeRecord(this.chain);
  }

  private historyEnd(): number {
    return this.options.historyEnd ?? Math.floor(Date.now() / 1000);
  }

  /** Spreads blocks from the set-up to the end of the history. */
  private async makeHistory(blocks: number): Promise<void> {
    for (let i = 0; i < blocks; i++) {
      const left = Math.max(1, this.historyEnd() - this.lastTimestamp);
      await this.addBlock(this.lastTimestamp + Math.max(1, Math.floor(left / (blocks - i))));
      if (i % 10 === 0) this.options.onProgress?.({ phase: 'history', done: i, total: blocks });
    }
  }

  private async readHead(): Promise<void> {
    const params = ['latest', false];
    const head = await this.node.rpc.call<{ number: string; timestamp: string }>('eth_getBlockByNumber', params);
    this.height = Number(head.number);
    this.lastTimestamp = Number(head.timestamp);
  }

  private async addBlock(timestamp: number): Promise<void> {
    await this.addBlockOf(timestamp, await this.life.plan(timestamp, this.height + 1));
  }

  /** A block of these transactions, behind those that already wait in the node's pool. */
  private async addBlockOf(timestamp: number, transactions: readonly Outgoing[]): Promise<string[]> {
    const senders = [...new Set(transactions.map(({ from }) => from))];
    const hashes = await mineBlock(this.rpc, timestamp, transactions, await nextNonces(this.rpc, senders));
    this.lastTimestamp = timestamp;
    this.height++;
    this.blocksSinceReorg++;
    this.blocksSinceSave++;
    return hashes;
  }

  private blockTimeMs(): number {
    const usual = this.options.blockTimeMs ?? 1000;
    return this.height < SLOW_FROM_HEIGHT ? usual : Math.max(usual, SLOW_BLOCK_TIME_MS);
  }

  /** At a pace a chain that is behind lives through every block time until it has reached the present. */
  private now(): number {
    const present = Math.floor(Date.now() / 1000);
    const next = this.lastTimestamp + Math.ceil(this.blockTimeMs() / 1000);
    return Math.max(this.lastTimestamp + 1, this.pace > 1 ? Math.min(present, next) : present);
  }

  private waitMs(): number {
    const usual = this.blockTimeMs();
    const behind = Date.now() - this.lastTimestamp * 1000 > 2 * usual;
    return behind ? usual / this.pace : usual;
  }

  private get pace(): number {
    return this.options.pace ?? 1;
  }

  mine({ traders = true }: { traders?: boolean } = {}): Promise<void> {
    return this.step(async () => {
      // Others may have made blocks through the node itself.
      await this.readHead();
      if (traders) await this.addBlock(this.now());
      else await this.addBlockOf(this.now(), []);
    });
  }

  fund(wallet: string, funding: Funding): Promise<void> {
    return this.step(async () => {
      await this.readHead();
      const transactions = fundingTransactions(this.deployer, wallet, funding);
      await requireSuccess(this.rpc, await this.addBlockOf(this.now(), transactions));
    });
  }

  reorg(depth: number): Promise<void> {
    if (!Number.isInteger(depth) || depth < 1 || depth > MAX_REORG) {
      return Promise.reject(new RangeError(`a reorg is 1 to ${MAX_REORG} blocks deep, not ${depth}`));
    }
    return this.step(() => this.replace(depth));
  }

  private async replace(depth: number): Promise<void> {
    this.lastTimestamp = await replaceBlocks(this.rpc, depth, this.random, this.deployer);
    this.blocksSinceReorg = 0;
  }

  async pause(): Promise<void> {
    this.paused = true;
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    await this.queue;
  }

  resume(): void {
    if (!this.paused || this.stopped) return;
    this.paused = false;
    this.schedule();
  }

  async stop(): Promise<void> {
    if (this.stopped) return;
    this.stopped = true;
    await this.pause();
    try {
      await this.files.saveState(this.node.rpc);
    } finally {
      await this.node.stop();
    }
    await this.files.closed();
  }

  private schedule(): void {
    this.timer = setTimeout(() => {
      void this.step(() => this.tick())
        .then(() => {
          this.failures = 0;
        })
        .catch((error: Error) => {
          // A slow moment of the node is no failure; the exit event reports a node that is gone.
          if (++this.failures >= MAX_FAILURES && !this.stopped) this.fail(error);
        })
        .finally(() => {
          if (!this.paused) this.schedule();
        });
    }, this.waitMs());
  }

  private async tick(): Promise<void> {
    if (this.failures > 0) await this.readHead();
    await this.addBlock(this.now());
    if (this.options.reorgs === true && this.blocksSinceReorg > 2 * MAX_REORG && this.random.chance(REORG_CHANCE)) {
      await this.replace(1 + this.random.weighted([40, 25, 15, 10, 6, 4]));
    }
    if (Date.now() < this.nextSave || this.blocksSinceSave < SAVE_EVERY_BLOCKS) return;
    const started = Date.now();
    await this.files.saveState(this.node.rpc);
    this.blocksSinceSave = 0;
    this.nextSave = Date.now() + Math.max(SAVE_EVERY_MS, (Date.now() - started) / SAVE_SHARE);
  }

  private step<T>(work: () => Promise<T>): Promise<T> {
    const result = this.queue.then(work);
    this.queue = result.catch(() => undefined);
    return result;
  }

  private fail(error: Error): void {
    this.paused = true;
    if (!this.options.onFailure) throw error;
    this.options.onFailure(error);
  }
}
