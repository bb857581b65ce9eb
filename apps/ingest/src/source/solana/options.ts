import type { SolanaPoolOptions } from '#libs/chain/chains/solana/rpc/node-pool.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { TipWatchOptions } from '../tip-watch.js';
import type { BlockRunOptions } from './block-run.js';
import type { CheckOptions } from './second-opinions.js';

/** Everything about a Solana source that a test, a benchmark or an operator may want otherwise. */
export interface SolanaSourceOptions {
  rpc: Omit<SolanaPoolOptions, 'urls' | 'onError' | 'onRecovered'>;
  run: BlockRunOptions;
  watch: TipWatchOptions;
  checks: CheckOptions;
  /** What no node completes is taken as it is, and marked. */
  takeIncomplete: boolean;
  /** A gap above this many slots is history: it is read up to where blocks are settled. */
  historyThreshold: number;
  /** History ends this far below the tip where a node does not say what is final. */
  historyMargin: number;
  /** How far behind the head an epoch starts when nothing else is said. */
  defaultHistorySlots: number;
  /** Bytes of one pushed block at most. */
  maxPushBytes: number;
}

export interface SolanaSourceOverrides extends Partial<Omit<SolanaSourceOptions, 'run' | 'watch' | 'checks' | 'rpc'>> {
  rpc?: Partial<SolanaSourceOptions['rpc']>;
  run?: Partial<BlockRunOptions>;
  watch?: Partial<TipWatchOptions>;
  checks?: Partial<CheckOptions>;
}

const ONE_HOUR_MS = 3_600_000;

export function withDefaults(chain: ChainSpec, given: SolanaSourceOverrides = {}): SolanaSourceOptions {
  const { blockTimeMs } = chain;
  return {
    historyThreshold: 64,
    historyMargin: 32,
    defaultHistorySlots: Math.ceil(ONE_HOUR_MS / blockTimeMs),
    maxPushBytes: 128 * 1024 * 1024,
    takeIncomplete: false,
    ...given,
    rpc: { ...given.rpc },
    run: {
      ...{ parallel: 16, perNode: 8, maxWaitingBytes: 96 * 1024 * 1024, slotsPerList: 1_000, maxBatch: 16 },
      ...given.run,
    },
    checks: {
      ...{ sampleEvery: 256, checkHistory: true, checkHead: true, behindMs: blockTimeMs, distrustMs: 600_000 },
      ...given.checks,
    },
    watch: {
      pollMs: Math.min(Math.max(blockTimeMs / 2, 200), 2_000),
      streamPollMs: Math.min(Math.max(blockTimeMs * 5, 1_000), 12_000),
      // "Fresh" everywhere else is the same: 30 s or ten block times.
      staleMs: Math.max(30_000, blockTimeMs * 10),
      ...given.watch,
    },
  };
}
