import { TIDEPOOL_AMM, TIDEPOOL_LAUNCHPAD, TIDEPOOL_SWAP } from '#libs/chain/chains/solana/tidepool-programs.js';
import { decodeBase58 } from '#libs/core/base58.js';
import { TidepoolError } from '#libs/core/errors.js';
import { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import { type LocalSolana, type SlotSummary, startLocalSolana } from '../local-solana.js';
import { type Funding, fundingInstructions } from './funding.js';
import { MarketFiles } from './market-files.js';
import { base58, MarketListing } from './market-listing.js';
import { marketMethods } from './market-methods.js';
import { setUpMarket } from './market-setup.js';
import { MarketView } from './market-view.js';
import { signTransaction } from './sign-transaction.js';
import { BUSY, type MarketEvent, QUIET, Traders } from './traders.js';

/** The market in the process that runs it: creates or resumes the chain, then lets the traders fill its slots. */
export interface MarketOptions {
  /** Absent: the market lives in memory. */
  dataDir?: string;
  port?: number;
  seed?: number;
  slotMs?: number;
  historyBlocks?: number;
  historySeconds?: number;
  /** Unix seconds at which the history ends; the present when absent. */
  historyEnd?: number;
  /** A market that is new and behind the present makes its slots this many times as fast until it has reached it. */
  pace?: number;
  quiet?: boolean;
  autoSlots?: boolean;
  /** Forks of one to three blocks now and then. */
  reorgs?: boolean;
  onProgress?: (progress: MarketProgress) => void;
  onFailure?: (error: Error) => void;
}

export interface MarketProgress {
  phase: 'setup' | 'history' | 'ready';
  done: number;
  total: number;
}

interface MarketTokenInfo {
  address: string;
  symbol: string;
  name: string;
  decimals: number;
  /** Price the market started at. */
  usd: number;
  program: 'spl-token' | 'token-2022';
}

interface MarketPoolInfo {
  address: string;
  mintA: string;
  mintB: string;
  vaultA: string;
  vaultB: string;
  feeBps: number;
}

interface MarketCurveInfo {
  address: string;
  mint: string;
  quoteMint: string;
  symbol: string;
  name: string;
  status: 'trading' | 'complete' | 'graduated';
  /** The pool it became; null before. */
  pool: string | null;
}

/** What there is to trade after the newest block. */
export interface MarketContents {
  tokens: MarketTokenInfo[];
  pools: MarketPoolInfo[];
  curves: MarketCurveInfo[];
  programs: { amm: string; launchpad: string; swap: string };
}

const SETUP_SECONDS = 12;
const MOST_SETUP_SLOTS = 40;
const DEFAULT_SLOT_MS = 400;
const DEFAULT_HISTORY_BLOCKS = 600;
const DEFAULT_HISTORY_SECONDS = 6 * 3600;
const PROGRESS_EVERY = 10;
const SKIP_RATE = 0.03;
const FORK_RATE = 1 / 40;
/** Blocks that are served beyond the first history, as by a node that prunes. */
const KEEP_BLOCKS = 1_024;

export class MarketRunner {
  private readonly listing: MarketListing;
  private readonly random: SeededRandom;
  private readonly traders: Traders;

  private constructor(
    readonly chain: LocalSolana,
    readonly seed: number,
    private readonly clock: Clock,
    private readonly options: MarketOptions,
  ) {
    this.listing = new MarketListing(seed);
    // A resumed chain does not repeat the random choices of its beginning.
    this.random = new SeededRandom(seed + (chain.resumed ? Date.now() % 1_000_000 : 0));
    this.traders = new Traders(chain, this.listing, this.random, options.quiet === true ? QUIET : BUSY);
  }

  static async start(options: MarketOptions): Promise<MarketRunner> {
    const files = options.dataDir === undefined ? null : new MarketFiles(options.dataDir);
    const seed = files?.found?.seed ?? options.seed ?? 1;
    if (options.seed !== undefined && options.seed !== seed) {
      throw new TidepoolError(
        'devnet_state',
        `the folder ${options.dataDir} holds a local Solana market with seed ${seed}`,
      );
    }
    const end = options.historyEnd ?? Math.floor(Date.now() / 1000);
    const historySeconds = options.historySeconds ?? DEFAULT_HISTORY_SECONDS;
    const { slotMs = DEFAULT_SLOT_MS, pace = 1 } = options;
    const clock = new Clock(files?.found ? null : end - historySeconds - MOST_SETUP_SLOTS * SETUP_SECONDS);
    let runner: MarketRunner | null = null;
    const chain = await startLocalSolana({
      ...(files === null ? {} : { dataDir: files.chainFolder }),
      slotMs: () => slotMs / (clock.isLive ? 1 : pace),
      ...(options.onFailure === undefined ? {} : { onFailure: options.onFailure }),
      ...{
        port: options.port ?? 0,
        seed,
        now: clock.now,
        keepBlocks: keptBlocks(options),
        skipRate: SKIP_RATE,
      },
      forkRate: options.reorgs === true ? FORK_RATE : 0,
      methods: marketMethods(() => {
        if (runner) return runner;
        throw new TidepoolError('devnet_market', 'the market is still being made');
      }),
      beforeSlot: () => {
        clock.tick(slotMs / 1000);
        runner?.trade();
        return [];
      },
    });
    try {
      const made = new MarketRunner(chain, seed, clock, options);
      if (!chain.resumed) {
        await made.create(end);
        files?.finish({ format: 1, seed });
      }
      runner = made;
      options.onProgress?.({ phase: 'ready', done: 1, total: 1 });
      if (options.autoSlots !== false) chain.resume();
      return made;
    } catch (error) {
      await chain.stop();
      throw error;
    }
  }

  /** Queues what the traders do in the next slot. */
  trade(event: MarketEvent | null = null): void {
    this.traders.plan(this.clock.now(), event);
  }

  /** Makes the next slot, with the traders' transactions unless they rest. */
  slot({ traders = true }: { traders?: boolean } = {}): SlotSummary {
    if (traders) this.trade();
    return this.chain.slot();
  }

  /** Gives a wallet coins and tokens, by transactions in a slot of their own. */
  fund(wallet: string, funding: Funding): SlotSummary {
    const bytes = decodeBase58(wallet);
    if (bytes?.length !== 32) throw new TidepoolError('devnet_market', 'wallet: not the base58 text of 32 bytes');
    const { deployer } = this.listing;
    const instructions = fundingInstructions(this.listing, Buffer.from(bytes).toString('hex'), funding);
    const order = { version: 0 as const, payer: deployer };
    const sent = instructions.map((list) =>
      this.chain.send(signTransaction({ ...order, instructions: list }, this.chain.blockhash())),
    );
    const made = this.chain.slot();
    for (const signature of sent) {
      const result = this.chain.resultOf(signature);
      if (result !== null) throw new TidepoolError('devnet_market', `the funding failed: ${JSON.stringify(result)}`);
    }
    return made;
  }

  contents(): MarketContents {
    const { listing } = this;
    const { known } = new MarketView(this.chain).curves(listing);
    const graduated = known.filter(({ state }) => state.status === 'graduated').map(({ listed }) => listed.pool);
    return {
      tokens: listing.tokens.map(({ id, plan }) => ({
        address: base58(id),
        symbol: plan.symbol,
        name: plan.name,
        decimals: plan.decimals,
        usd: plan.usd,
        program: plan.token2022 ? 'token-2022' : 'spl-token',
      })),
      pools: [...listing.pools.map(({ keys }) => keys), ...graduated].map((keys) => ({
        address: base58(keys.id),
        mintA: base58(keys.mintA),
        mintB: base58(keys.mintB),
        vaultA: base58(keys.vaultA),
        vaultB: base58(keys.vaultB),
        feeBps: keys.feeBps,
      })),
      curves: known.map(({ listed: { keys }, state }) => ({
        address: base58(keys.id),
        mint: base58(keys.mint),
        quoteMint: base58(keys.quoteMint),
        symbol: state.symbol,
        name: state.name,
        status: state.status,
        pool: state.pool === null ? null : base58(state.pool),
      })),
      programs: { amm: TIDEPOOL_AMM, launchpad: TIDEPOOL_LAUNCHPAD, swap: TIDEPOOL_SWAP },
    };
  }

  private async create(end: number): Promise<void> {
    const { chain, clock, options } = this;
    options.onProgress?.({ phase: 'setup', done: 0, total: 1 });
    setUpMarket(chain, this.listing, this.random, () => clock.advance(SETUP_SECONDS));
    const blocks = options.historyBlocks ?? DEFAULT_HISTORY_BLOCKS;
    const [buyOut, renouncing] = [Math.floor(blocks * 0.4), blocks >> 1];
    for (let i = 0; i < blocks; i++) {
      clock.advance(Math.max(1, Math.floor((end - clock.now()) / (blocks - i))));
      if (this.random.chance(SKIP_RATE)) chain.skip(this.random.between(1, 3));
      this.trade(i === renouncing ? 'renounces' : i === buyOut ? 'buys-out' : null);
      chain.slot();
      if (i % PROGRESS_EVERY !== 0) continue;
      options.onProgress?.({ phase: 'history', done: i, total: blocks });
      // The process must be able to end meanwhile.
      await new Promise((resolve) => setImmediate(resolve));
    }
    if ((options.pace ?? 1) === 1) clock.goLive();
  }

  /** Newest blocks that the node keeps. */
  get keptBlocks(): number {
    return keptBlocks(this.options);
  }
}

const keptBlocks = ({ historyBlocks = DEFAULT_HISTORY_BLOCKS }: MarketOptions): number => KEEP_BLOCKS + historyBlocks;

/** Unix seconds: of the history while it is made and until it reaches the present, of the machine afterwards. */
class Clock {
  constructor(private made: number | null) {}

  get isLive(): boolean {
    return this.made === null;
  }

  now = (): number => Math.floor(this.made ?? Date.now() / 1000);

  advance(seconds: number): void {
    if (this.made !== null) this.made += seconds;
  }

  /** The next slot of a market that is behind: in the present it follows the machine. */
  tick(seconds: number): void {
    this.advance(seconds);
    if (this.made !== null && this.made >= Date.now() / 1000) this.goLive();
  }

  goLive(): void {
    this.made = null;
  }
}
