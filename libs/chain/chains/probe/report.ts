import type { Estimate } from './estimate.js';
import type { Largest } from './largest.js';
import type { Reach } from './oldest.js';

/** Whether a node has what is asked of it. */
export interface Capability {
  readonly name: string;
  /** Null: it could not be found out in time. */
  readonly has: boolean | null;
  /** What it was seen to do, or its own words where it refused. */
  readonly seen: string;
  /** What it is for. */
  readonly need: string;
}

export interface Limit extends Largest {
  readonly name: string;
}

export interface Depth extends Reach {
  readonly name: string;
  readonly need: string;
}

/** One way of reading the history, measured. */
export interface MeasuredWay extends Estimate {
  readonly name: string;
  readonly about: string;
  /** Why it cannot be used at this node; null where it can. */
  readonly refused: string | null;
}

/** What one node was seen to be, and what it takes to read a chain's history from it. */
export interface NodeReport {
  readonly client: string | null;
  readonly head: number;
  /** Where the history was to begin, and where it can: the node has nothing below. */
  readonly wishedFrom: number;
  readonly from: number;
  /** Blocks, or slots, of the history that is planned. */
  readonly heights: number;
  /** Milliseconds of a small question, the middle one of several. */
  readonly latencyMs: number;
  /** Heights between the lowest and the highest head that it named within one moment. */
  readonly headSpread: number;
  readonly capabilities: readonly Capability[];
  readonly limits: readonly Limit[];
  readonly depths: readonly Depth[];
  readonly ways: readonly MeasuredWay[];
  readonly traffic: { readonly requests: number; readonly calls: number; readonly bytes: number };
}

/** What a measurement says of itself while it runs. */
export type ProbeProgress = (step: string) => void;
