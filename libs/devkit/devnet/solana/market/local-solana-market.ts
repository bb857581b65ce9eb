import { fileURLToPath } from 'node:url';
import { attach, control } from '../attached-process.js';
import type { ForkOptions } from '../chain.js';
import type { SlotSummary } from '../local-solana.js';
import type { Funding } from './funding.js';
import type { MarketContents, MarketOptions, MarketProgress } from './market-runner.js';

export type { MarketContents } from './market-runner.js';

/**
 * A local Solana chain that looks like the real one: Tidepool's own programs, tokens with their metadata, pools, curves
 * that become pools, seeded traders, a history that ends now, forks and skipped slots. It runs in a process of its own
 * that ends with this one, keeps itself in its folder and resumes from there.
 */
export interface LocalSolanaMarketOptions extends MarketOptions {
  dataDir: string;
  /** The program that runs the market; absent: the one next to this file. */
  main?: string;
  startTimeoutMs?: number;
}

export interface LocalSolanaMarket extends MarketContents {
  readonly rpcUrl: string;
  readonly wsUrl: string;
  readonly genesisHash: string;
  /** True when the folder held this chain already. */
  readonly resumed: boolean;
  readonly pid: number;
  /** Slot from which on every block was there at the start, and stays for a while. */
  readonly oldestHeight: number;
  /** Newest blocks that the node keeps, over restarts too. */
  readonly keptBlocks: number;
  headHeight(): Promise<number>;
  /** Tokens, pools and curves after the newest block; the fields of the same names are those of the start. */
  contents(): Promise<MarketContents>;
  /** Makes the next slot of what waits and, unless `traders` is false, of traders' transactions. */
  slot(options?: { traders?: boolean }): Promise<SlotSummary>;
  /** Lets slots go by without a block. */
  skip(count?: number): Promise<void>;
  /** Replaces the newest blocks by others, with most of their transactions. */
  fork(depth: number, options?: ForkOptions): Promise<SlotSummary[]>;
  /** Gives a wallet coins and tokens, in a slot that holds nothing of the traders. */
  fund(wallet: string, funding: Funding): Promise<SlotSummary>;
  /** Stops making slots until resume(). */
  pause(): Promise<void>;
  resume(): Promise<void>;
  stop(): Promise<void>;
}

interface Ready extends MarketContents {
  rpcUrl: string;
  wsUrl: string;
  genesisHash: string;
  resumed: boolean;
  oldestHeight: number;
  keptBlocks: number;
}

/** A folder that lost its newest state runs some thousand transactions again. */
const START_TIMEOUT_MS = 180_000;

export async function startLocalSolanaMarket(options: LocalSolanaMarketOptions): Promise<LocalSolanaMarket> {
  const { ready, pid, stop } = await attach<{ progress?: MarketProgress; ready?: Ready }, Ready>({
    main: options.main ?? fileURLToPath(new URL('./local-solana-market-main.js', import.meta.url)),
    flags: flags(options),
    name: 'the local Solana market',
    startTimeoutMs: options.startTimeoutMs ?? START_TIMEOUT_MS,
    ready: (line) => {
      if (line.progress) options.onProgress?.(line.progress);
      return line.ready ?? null;
    },
    onFailure: options.onFailure,
  });
  const { rpcUrl } = ready;
  return {
    ...ready,
    pid,
    headHeight: () => control(rpcUrl, 'getSlot', { commitment: 'processed' }),
    contents: () => control(rpcUrl, 'market_contents'),
    slot: (how = {}) => control(rpcUrl, 'market_slot', how),
    skip: (count = 1) => control(rpcUrl, 'devnet_skip', count),
    fork: (depth, forkOptions = {}) => control(rpcUrl, 'devnet_fork', depth, forkOptions),
    fund: (wallet, { lamports, tokens = [] }) =>
      control(rpcUrl, 'market_fund', wallet, {
        ...(lamports === undefined ? {} : { lamports: lamports.toString() }),
        tokens: tokens.map(({ mint, amount }) => ({ mint, amount: amount.toString() })),
      }),
    pause: () => control(rpcUrl, 'devnet_pause'),
    resume: () => control(rpcUrl, 'devnet_resume'),
    stop,
  };
}

function flags(options: LocalSolanaMarketOptions): string[] {
  const values = {
    data: options.dataDir,
    port: options.port,
    seed: options.seed,
    'slot-ms': options.slotMs,
    history: options.historyBlocks,
    'history-seconds': options.historySeconds,
    'history-end': options.historyEnd,
    pace: options.pace,
  };
  return [
    ...Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, `${value}`])),
    ...(options.quiet === true ? ['--quiet'] : []),
    ...(options.autoSlots === false ? ['--no-auto-slots'] : []),
    ...(options.reorgs === true ? [] : ['--no-reorgs']),
  ];
}
