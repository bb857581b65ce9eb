import { TidepoolError } from '#libs/core/errors.js';
import { type AnvilProcess, startAnvil } from './anvil-process.js';
import { ChainFiles, type ChainRecord } from './chain-files.js';
import { replaceBlocks } from './chain-reorg.js';
import type { ChainPool, ChainToken } from './market-plan.js';
import { setUpMarket } from './market-setup.js';
import { SeededRandom } from './random.js';
import { keccakText } from './rlp.js';
import { Traders } from './traders.js';
import { mineBlock, nextNonces } from './transaction-sender.js';

export type { ChainPool, ChainToken } from './market-plan.js';

/**
 * A local chain that looks like the real one: anvil with the genuine Uniswap contracts at their official addresses,
 * tokens, pools, seeded traders, a history, and small reorgs. It persists in its folder and resumes from there.
 * Blocks are made one at a time, by whoever asks; nothing happens while another step runs.
 */
export interface LocalChainOptions {
  chain: 'eth';
  dataDir: string;
  /** 0: any free port. */
  port?: number;
  seed?: number;
  blockTimeMs?: number;
  /** Reorgs of 1 to 6 blocks now and then. */
  reorgs?: boolean;
  /** Blocks of trading before the present, made at the first start. */
  historyBlocks?: number;
  /** Seconds over which the history is spread. */
  historySeconds?: number;
  /** Whether blocks are made by themselves; otherwise only by mine(). */
  autoMine?: boolean;
  onProgress?: (progress: LocalChainProgress) => void;
  /** Told when the chain stops working by itself; without it that error is thrown. */
  onFailure?: (error: Error) => void;
}

export interface LocalChainProgress {
  phase: 'setup' | 'history' | 'ready';
  done: number;
  total: number;
}

export interface LocalChain {
  readonly rpcUrl: string;
  readonly wsUrl: string;
  readonly chainId: number;
  readonly genesisHash: string;
  readonly tokens: readonly ChainToken[];
  readonly pools: readonly ChainPool[];
  /** True when the folder held this chain already. */
  readonly resumed: boolean;
  /** Process id of the node. */
  readonly nodePid: number;
  stop(): Promise<void>;
  /** Replaces the newest blocks by others, with most of their transactions. */
  reorg(depth: number): Promise<void>;
  /** Makes one block of traders' transactions now. */
  mine(): Promise<void>;
  /** Stops making blocks until resume(). */
  pause(): Promise<void>;
  resume(): void;
}

/** States that eth_call can reach back to, in blocks. Setting it also keeps anvil from spilling states to the home folder. */
const KEPT_STATES = 256;
const CHAIN_IDS = { eth: 1 } as const;
const MAX_REORG = 6;
/** Of a reorg after a block, when the last is long past: nearly everyone who watches for two minutes meets one. */
const REORG_CHANCE = 1 / 25;
/** Failed attempts at a block, one after another, after which the chain gives up. */
const MAX_FAILURES = 5;
const WALLETS = 48;
const SETUP_SPACING_SECONDS = 12;
const MAX_SETUP_BLOCKS = 60;
/** Saving takes longer as the chain grows; it may take this share of the time at most. */
const SAVE_SHARE = 0.03;
const SAVE_EVERY_MS = 20_000;
/** A demo left running would fill memory and disk: from this height on blocks come at mainnet's pace. */
const SLOW_FROM_HEIGHT = 6_000;
const SLOW_BLOCK_TIME_MS = 12_000;

export async function startLocalChain(options: LocalChainOptions): Promise<LocalChain> {
  const files = new ChainFiles(options.dataDir);
  const found = await files.open();
  const historySeconds = options.historySeconds ?? 6 * 3600;
  const chainId = CHAIN_IDS[options.chain];
  const start = Math.floor(Date.now() / 1000) - historySeconds - MAX_SETUP_BLOCKS * SETUP_SPACING_SECONDS;
  const node = await startAnvil({
    port: options.port ?? 0,
    args: [
      ...[
        '--chain-id',
        String(chainId),
        '--prune-history',
        String(KEPT_STATES),
        '--no-mining',
        '--order',
        'fifo',
        '--quiet',
      ],
      ...['--accounts', '1', '--gas-limit', '150000000', '--dump-state', files.exitState],
      ...['--timestamp', String(found?.record.genesisTime ?? start)],
      ...(found ? ['--load-state', found.stateFile] : []),
    ],
  });
  try {
    const runner = new Runner(node, files, options, found?.record ?? null);
    await runner.begin(chainId, historySeconds);
    return runner;
  } catch (error) {
    await node.stop();
    throw error;
  }
}

function walletsOf(seed: number): string[] {
  return Array.from({ length: WALLETS }, (_, i) => `0x${keccakText(`trader ${seed} ${i}`).slice(24)}`);
}

class Runner implements LocalChain {
  private chain!: ChainRecord;
  private traders!: Traders;
  private readonly random: SeededRandom;
  private timer: NodeJS.Timeout | null = null;
  private paused = true;
  private stopped = false;
  /** Steps run one after another on this chain of promises. */
  private queue: Promise<unknown> = Promise.resolve();
  private nextSave = Date.now() + SAVE_EVERY_MS;
  private blocksSinceReorg = 0;
  private lastTimestamp = 0;
  private height = 0;
  private failures = 0;

  constructor(
    private readonly node: AnvilProcess,
    private readonly files: ChainFiles,
    private readonly options: LocalChainOptions,
    private readonly found: ChainRecord | null,
  ) {
    this.random = new SeededRandom((found?.seed ?? options.seed ?? 1) + (found ? Date.now() % 1_000_000 : 0));
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

  get resumed(): boolean {
    return this.found !== null;
  }

  get nodePid(): number {
    return this.node.pid;
  }

  async begin(chainId: number, historySeconds: number): Promise<void> {
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
      await this.create(chainId, genesis.hash, Number(genesis.timestamp), historySeconds);
    }
    await this.readHead();
    await this.files.writeNodePid(this.node.pid);
    this.options.onProgress?.({ phase: 'ready', done: 1, total: 1 });
    void this.node.exited.then((reason) => {
      if (!this.stopped) this.fail(new TidepoolError('anvil_failed', reason));
    });
    if (this.options.autoMine !== false) this.resume();
  }

  private startTraders(): void {
    const { tokens, pools, seed } = this.chain;
    this.traders = new Traders(this.node.rpc, tokens, pools, walletsOf(seed), this.random);
  }

  private async create(
    chainId: number,
    genesisHash: string,
    genesisTime: number,
    historySeconds: number,
  ): Promise<void> {
    const seed = this.options.seed ?? 1;
    this.options.onProgress?.({ phase: 'setup', done: 0, total: 1 });
    const now = Math.floor(Date.now() / 1000);
    const market = await setUpMarket(this.node.rpc, {
      deployer: `0x${keccakText(`deployer ${seed}`).slice(24)}`,
      wallets: walletsOf(seed),
      random: this.random,
      timestamp: now - historySeconds - MAX_SETUP_BLOCKS * SETUP_SPACING_SECONDS,
      spacing: SETUP_SPACING_SECONDS,
    });
    const { tokens, pools } = market;
    this.chain = { version: 1, seed, chainId, genesisHash, genesisTime, tokens, pools };
    this.startTraders();
    this.lastTimestamp = market.timestamp;
    await this.makeHistory(this.options.historyBlocks ?? 600);
    await this.files.saveState(this.node.rpc);
    await this.files.writeRecord(this.chain);
  }

  /** Spreads blocks from the set-up to now. */
  private async makeHistory(blocks: number): Promise<void> {
    for (let i = 0; i < blocks; i++) {
      const now = Math.floor(Date.now() / 1000);
      const left = Math.max(1, now - this.lastTimestamp);
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
    const planned = await this.traders.plan(timestamp);
    const senders = [...new Set(planned.map(({ from }) => from))];
    await mineBlock(this.node.rpc, timestamp, planned, await nextNonces(this.node.rpc, senders));
    this.lastTimestamp = timestamp;
    this.height++;
    this.blocksSinceReorg++;
  }

  private now(): number {
    return Math.max(this.lastTimestamp + 1, Math.floor(Date.now() / 1000));
  }

  mine(): Promise<void> {
    return this.step(() => this.addBlock(this.now()));
  }

  reorg(depth: number): Promise<void> {
    if (!Number.isInteger(depth) || depth < 1 || depth > MAX_REORG) {
      return Promise.reject(new RangeError(`a reorg is 1 to ${MAX_REORG} blocks deep, not ${depth}`));
    }
    return this.step(() => this.replace(depth));
  }

  private async replace(depth: number): Promise<void> {
    this.lastTimestamp = await replaceBlocks(this.node.rpc, depth, this.random);
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
    const usual = this.options.blockTimeMs ?? 1000;
    const wait = this.height < SLOW_FROM_HEIGHT ? usual : Math.max(usual, SLOW_BLOCK_TIME_MS);
    this.timer = setTimeout(() => {
      void this.step(() => this.tick())
        .then(() => {
          this.failures = 0;
        })
        .catch((error: Error) => {
          // A slow moment of the node is no end; a node that is gone is told by its exit.
          if (++this.failures >= MAX_FAILURES && !this.stopped) this.fail(error);
        })
        .finally(() => {
          if (!this.paused) this.schedule();
        });
    }, wait);
  }

  private async tick(): Promise<void> {
    if (this.failures > 0) await this.readHead();
    await this.addBlock(this.now());
    if (this.options.reorgs === true && this.blocksSinceReorg > 2 * MAX_REORG && this.random.chance(REORG_CHANCE)) {
      await this.replace(1 + this.random.weighted([40, 25, 15, 10, 6, 4]));
    }
    if (Date.now() < this.nextSave) return;
    const started = Date.now();
    await this.files.saveState(this.node.rpc);
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
