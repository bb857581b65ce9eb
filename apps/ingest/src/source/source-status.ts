import type { NodeState, SourceProgress } from '#libs/chain/chains/source-port.js';
import type { Hex } from '#libs/core/ids.js';

/** What a source shows of itself, in this thread or in one of its own. */
export interface SourceLogger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** How far an epoch is that is not served yet. */
export interface SourceBuild {
  /** Null until its first group is written. */
  epoch: number | null;
  reason: string;
  head: number | null;
  /** What keeps it from being read, while something does. The message is the node's own, without its address. */
  problem: { kind: string; message: string } | null;
}

export interface SourceStatus {
  chain: string;
  state: 'starting' | 'history' | 'head' | 'waiting' | 'stopped';
  epoch: number | null;
  seq: number | null;
  head: number | null;
  headHash: Hex | null;
  headTime: number | null;
  sealed: number | null;
  finalized: number | null;
  chainHead: number | null;
  /** Blocks between the log and the chain's head. */
  lag: number | null;
  reorgs: number;
  deepestReorg: number;
  lastReorg: { time: number; depth: number; fromBlock: number } | null;
  rpcErrors: number;
  distrusted: number;
  /** Blocks taken whose receipts neither their root nor another node proves. */
  unproven: number;
  /** Blocks of which a node left something out; they were read again in another way. */
  gaps: number;
  /** Blocks taken that no node completes or clears of a contradiction. */
  doubtful: number;
  /** The newest of these, or the one that is awaited. */
  lastDoubt: { height: number; reason: string; taken: boolean } | null;
  /** Receipt types that were met and have no known encoding. */
  unknownReceiptTypes: readonly string[];
  restarts: number;
  lastError: string | null;
  progress: SourceProgress | null;
  /** The epoch that is read next to the served one; null when none is. */
  building: SourceBuild | null;
  /** In the order of the configuration. */
  nodes: NodeState[];
  /** What none of the nodes has, a sentence each. */
  missing: readonly string[];
}

export interface SourceStage {
  /** Runs until the signal aborts. Rejects when it was fenced or the log is broken; everything else it retries. */
  run(signal: AbortSignal): Promise<void>;
  /** Follows the log without writing, while another process holds the chain. */
  standBy?(signal: AbortSignal): Promise<void>;
  status(): SourceStatus;
}
