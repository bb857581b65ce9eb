import { NodeMemory } from './node-memory.js';
import { NodeSet } from './node-set.js';

/** Of all that share nodes: a request that waits for a node waits little longer than one that finds it well. */
export const SHARED_COOL_DOWN = { coolDownMs: 250, maxCoolDownMs: 2_000 } as const;

export interface NodePoolsOptions {
  /** The file of what was learned of a chain's nodes, in the process that has the data folder; null: nothing is kept. */
  fileOf?: (chain: string) => string | null;
  onMemoryError?: (error: Error) => void;
  /** How often what was learned is written. */
  rememberMs?: number;
}

/**
 * The nodes of all chains in one process. Invariant: all who name the same nodes of a chain get the same set, open as long
 * as one pool uses it. A node that a caller names goes by a pool of its own.
 */
export class NodePools {
  private readonly open = new Map<string, NodeSet>();

  constructor(private readonly options: NodePoolsOptions = {}) {}

  /** `urls`: in the order of preference, http(s) alone. */
  of(chain: string, urls: readonly string[]): NodeSet {
    const name = [chain, ...urls].join(' ');
    const found = this.open.get(name);
    if (found !== undefined) return found;
    const { fileOf, onMemoryError, rememberMs } = this.options;
    const file = fileOf?.(chain) ?? null;
    const made = new NodeSet({
      urls,
      ...(file !== null && { memory: new NodeMemory(file, onMemoryError) }),
      rememberMs,
      onClosed: () => this.open.delete(name),
    });
    this.open.set(name, made);
    return made;
  }
}
