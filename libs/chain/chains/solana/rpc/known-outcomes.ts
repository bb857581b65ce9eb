import { LRUCache } from 'lru-cache';
import { isJsonRecord } from '../malformed.js';
import type { PlacedEntry } from './node-block.js';

/** A node that was asked for a block this often and still lacks an outcome has none; counted over all nodes of a chain. */
const TIMES_A_NODE = 4;
const MOST_BLOCKS = 1_000;

/**
 * Whether blocks say how their transactions ended. A node writes `null` for an outcome that it does not hold: another
 * node may. When all of them were asked again and again, none has it: such a transaction is left out, and the chain
 * continues. Calls that were not recorded are never taken for none: a node that does not record them is no source of trades.
 */
export class KnownOutcomes {
  private readonly asked = new LRUCache<string, number>({ max: MOST_BLOCKS });

  constructor(private readonly nodes: number) {}

  /** The entries whose outcome is known; a text says what is missing and that the block must be asked for again. */
  known(block: { slot: number; hash: string }, entries: readonly PlacedEntry[]): readonly PlacedEntry[] | string {
    const unrecorded = entries.find(({ entry }) => lacksCalls(entry.meta));
    if (unrecorded !== undefined) {
      return `block ${block.slot}: transactions[${unrecorded.index}].meta.innerInstructions is null: the node does not record them`;
    }
    const known = entries.filter(({ entry }) => entry.meta !== null);
    if (known.length === entries.length) return entries;
    const key = `${block.slot}:${block.hash}`;
    const times = (this.asked.get(key) ?? 0) + 1;
    if (times >= TIMES_A_NODE * this.nodes) {
      this.asked.delete(key);
      return known;
    }
    this.asked.set(key, times);
    return `block ${block.slot}: ${entries.length - known.length} transactions without meta`;
  }
}

/** Of a transaction that did something: a failed one left no trace. */
const lacksCalls = (meta: unknown): boolean =>
  isJsonRecord(meta) && meta.innerInstructions === null && (meta.err === null || meta.err === undefined);
