import type { BuildKind, FactsVersion } from '#libs/pipeline/epochs/served-epoch.js';

/**
 * What a version of the program would build next to what is served, as the command line shows it. Sizes are those of what
 * is served now: the new version holds about as much, and both are kept for a while.
 */
export interface ChainPlan {
  chain: string;
  /** Null before the first start: that one builds everything. */
  served: ServedState | null;
  /** In the order in which they are built. */
  steps: PlanStep[];
  /** Migrations that a start applies to the served tables. */
  migrations: string[];
  /** What an operator has to know besides. */
  notes: string[];
}

export interface ServedState extends FactsVersion {
  /** Of the tables; null while there are none. */
  generation: number | null;
  decoderVersion: number;
  startHeight: number;
  /** Last height of `blocks`. */
  height: number;
}

export interface PlanStep {
  kind: BuildKind;
  reason: string;
  from: FactsVersion & { generation: number | null };
  to: FactsVersion & { generation: number };
  /** The topic that it is read from; null: read again from the nodes. */
  topic: string | null;
  startHeight: number;
  endHeight: number;
  /** Where it would begin without an accepted cut. */
  wishedStart: number;
  /** Groups of `blocks`, as far as they are known, and how many of them an earlier build has not reached. */
  groups: number;
  groupsLeft: number;
  /** Tables that are filled, and those of them that what is served does not have. */
  tables: string[];
  newTables: string[];
  /** Null where it is not known. */
  bytes: { log: number | null; tables: number | null; state: number | null };
  seconds: number | null;
  /** Where the time comes from: a build that runs, one that was measured, or an assumption, in words. */
  timeFrom: { how: 'running' | 'measured' | 'assumed'; words: string };
  /** Whether new blocks are served meanwhile. */
  staysFresh: boolean;
  /** Of another epoch: the height that the operator let it begin at; null while none was accepted. */
  acceptedCut: number | null;
}

/** Assumed where nothing was measured: on two cores, embedded log and tables; a remote node may well be slower. */
export const ASSUMED_FOLD_BYTES = 4_000_000;
export const ASSUMED_NODE_BYTES = 2_000_000;
