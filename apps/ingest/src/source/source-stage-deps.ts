import type { ChainSource, SourceObserver } from '#libs/chain/chains/source-port.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { Steps } from '#libs/core/steps.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import type { EvmSourceOverrides } from './evm/options.js';
import type { SolanaSourceOverrides } from './solana/options.js';
import type { SourceLogger } from './source-status.js';

/** Makes the source of a chain's family. */
export type SourceFamilies = Record<ChainSpec['family'], (deps: SourceDeps, observer: SourceObserver) => ChainSource>;

/** Of one epoch: its files are in `dataDir`. */
interface SourceDeps extends SourceStageDeps {
  /** What is known of the nodes: the same for all epochs. */
  nodesFile: string;
}

export interface SourceStageDeps {
  log: EventLog;
  chain: ChainSpec;
  /** HTTP URLs in order of preference; ws URLs among them only announce heads. */
  rpcUrls: readonly string[];
  /** Below the start of the present epoch it opens a new one. Undefined: near the head for a first start. */
  startHeight?: number;
  dataDir: string;
  /** Named in the record that says which epoch is served. */
  foldVersion: number;
  steps?: Steps;
  observer?: SourceObserver;
  logger?: SourceLogger;
  options?: EvmSourceOverrides;
  solanaOptions?: SolanaSourceOverrides;
  maxAppendBytes?: number;
  /** Pause before starting over after an infrastructure failure; doubles up to the maximum. */
  retryMs?: number;
  maxRetryMs?: number;
}
