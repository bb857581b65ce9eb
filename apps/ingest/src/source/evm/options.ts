import type { RpcPoolOptions } from '#libs/chain/chains/evm/rpc/rpc-pool.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { TipWatchOptions } from '../tip-watch.js';
import type { AskAgain } from '../unfinished-tokens.js';
import type { HistoryOptions } from './history.js';

/** Everything about an EVM source that a test, a benchmark or an operator may want otherwise. */
export interface EvmSourceOptions {
  rpc: Omit<RpcPoolOptions, 'urls' | 'chainId' | 'onError' | 'onRecovered' | 'memory' | 'hashesHeaders'>;
  history: HistoryOptions;
  watch: TipWatchOptions;
  /** A gap above this many blocks is closed by ranges. */
  historyThreshold: number;
  /** Ranges end this far below the tip, where blocks may still be reorganized. */
  historyMargin: number;
  /** How far behind the head an epoch starts when nothing else is said. */
  defaultHistoryBlocks: number;
  /** Check receipts root and bloom of every block at the head. */
  verifyHead: boolean;
  /** How much of history is checked against the receipts root of its header: samples, or every block. */
  proof: 'sampled' | 'every';
  /** Pools of unknown state that are read per block at the head. */
  anchorsPerBlock: number;
  /** Tokens that did not say all of their metadata that are asked again per block at the head, each after a pause. */
  tokensPerBlock: number;
  askAgain: AskAgain;
  /** Ask at the head what wallets hold, so that a token whose transfers do not say it is found. */
  sampleBalances: boolean;
}

export interface EvmSourceOverrides extends Partial<Omit<EvmSourceOptions, 'history' | 'watch' | 'rpc'>> {
  rpc?: Partial<EvmSourceOptions['rpc']>;
  history?: Partial<HistoryOptions>;
  watch?: Partial<TipWatchOptions>;
}

const ONE_HOUR_MS = 3_600_000;

export function withDefaults(chain: ChainSpec, given: EvmSourceOverrides = {}): EvmSourceOptions {
  const { blockTimeMs } = chain;
  return {
    historyThreshold: 32,
    historyMargin: 16,
    defaultHistoryBlocks: Math.ceil(ONE_HOUR_MS / blockTimeMs),
    verifyHead: true,
    proof: 'sampled',
    anchorsPerBlock: 4,
    tokensPerBlock: 4,
    askAgain: {},
    sampleBalances: true,
    ...given,
    rpc: { ...given.rpc },
    history: {
      way: given.proof === 'every' ? 'receipts' : 'auto',
      parallel: 6,
      firstRange: 64,
      maxRange: 2_000,
      logsPerRange: 4_000,
      maxWaitingLogs: 32_000,
      sampleEvery: 256,
      ...given.history,
    },
    watch: {
      pollMs: Math.min(Math.max(blockTimeMs / 3, 200), 2_000),
      // After the block that is due was not announced.
      streamPollMs: Math.min(Math.max(blockTimeMs * 1.5, 1_000), 18_000),
      restMs: given.watch?.pollMs === undefined ? (blockTimeMs * 2) / 3 : 0,
      // "Fresh" everywhere else is the same: 30 s or ten block times.
      staleMs: Math.max(30_000, blockTimeMs * 10),
      ...given.watch,
    },
  };
}
