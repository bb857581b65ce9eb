import type { AdaptiveSize } from './adaptive-size.js';
import { type Lack, NodeLacks } from './node-lacks.js';
import type { RpcErrorKind } from './rpc-error.js';

/** What an endpoint failed with last, and when (Unix ms). */
export interface EndpointProblem {
  kind: RpcErrorKind;
  message: string;
  at: number;
}

/** Consecutive failures, the end of the cool-down they earned by `performance.now()`, and what is wrong. */
export class CoolDown {
  failures = 0;
  until = 0;
  reason: string | null = null;
  problem: EndpointProblem | null = null;
}

/** What is known of one node, by all who ask it. */
export class NodeState {
  readonly coolDown = new CoolDown();
  /** Why it is not used: it serves another chain. */
  disabled: string | null = null;
  verified = false;
  readonly sizes = new Map<string, AdaptiveSize>();
  readonly lacks: NodeLacks;

  constructor(lacks: readonly Lack[] = []) {
    this.lacks = new NodeLacks(lacks);
  }
}
