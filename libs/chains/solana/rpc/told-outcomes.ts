import { isObject } from '../malformed.js';
import type { PlacedEntry } from './node-block.js';

/** A node that was asked for a block this often and still lacks an outcome has none; counted over all nodes of a chain. */
const TIMES_A_NODE = 4;
const MOST_BLOCKS = 1_000;

/**
 * Whether blocks tell how their transactions ended. A node writes `null` for an outcome that it does not hold: another
 * node may. When all of them were asked again and again, nobody knows it: such a transaction is left out, and the chain
 * goes on. Calls that were not recorded are never taken for none: a node that does not record them is no source of trades.
 */
export class ToldOutcomes {
  private readonly asked = new Map<string, number>();

  constructor(private readonly nodes: number) {}

  /** The entries whose outcome is told; a text says what is missing and that the block must be asked for again. */
  told(block: { slot: number; hash: string }, entries: readonly PlacedEntry[]): readonly PlacedEntry[] | string {
    const unrecorded = entries.find(({ entry }) => lacksCalls(entry.meta));
    if (unrecorded !== undefined) {
      return `block ${block.slot}: transactions[${unrecorded.index}].meta.innerInstructions is null: the node does not record them`;
    }
    const told = entries.filter(({ entry }) => entry.meta !== null);
    if (told.length === entries.length) return entries;
    const key = `${block.slot}:${block.hash}`;
    const times = (this.asked.get(key) ?? 0) + 1;
    this.asked.delete(key);
    if (times >= TIMES_A_NODE * this.nodes) return told;
    this.asked.set(key, times);
    if (this.asked.size > MOST_BLOCKS) this.asked.delete(this.asked.keys().next().value!);
    return `block ${block.slot}: ${entries.length - told.length} transactions without meta`;
  }
}

/** Of a transaction that did something: a failed one left no trace. */
const lacksCalls = (meta: unknown): boolean =>
  isObject(meta) && meta.innerInstructions === null && (meta.err === null || meta.err === undefined);
