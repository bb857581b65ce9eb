import { LRUCache } from 'lru-cache';
import { RpcError } from '../../rpc/rpc-error.js';
import { isJsonRecord } from '../malformed.js';
import type { PlacedEntry } from './node-block.js';

/** A node that was asked for a block this often and still lacks an outcome has none; counted over all nodes of a chain. */
const TIMES_A_NODE = 4;
const MOST_BLOCKS = 1_000;

/** A node does not tell how transactions of a block ended, or what they called. */
export class IncompleteBlockError extends RpcError {
  constructor(
    readonly slot: number,
    /** Every node was asked again and again: none of them tells. */
    readonly everywhere: boolean,
    message: string,
  ) {
    super('invalid', message);
  }
}

export type Outcomes =
  | { readonly entries: readonly PlacedEntry[]; readonly incomplete: boolean }
  /** What is missing, in words: the block must be asked for again. */
  | { readonly lacking: string; readonly everywhere: boolean };

/**
 * Whether blocks say how their transactions ended. A node writes `null` for an outcome that it does not hold: another
 * node may. When all of them were asked again and again, none has it: such a transaction is left out, and the chain
 * continues. Calls that were not recorded are never taken for none by themselves, since a node that does not record them is
 * no source of trades: a block that has them nowhere is named, and waits until its reader says that it is to be taken so.
 */
export class KnownOutcomes {
  private readonly asked = new LRUCache<string, number>({ max: MOST_BLOCKS });

  constructor(private readonly nodes: number) {}

  /** The entries whose outcome is known, or what is missing. */
  known(block: { slot: number; hash: string }, entries: readonly PlacedEntry[], takeIncomplete: boolean): Outcomes {
    const unrecorded = entries.find(({ entry }) => lacksCalls(entry.meta));
    const known = entries.filter(({ entry }) => entry.meta !== null);
    if (unrecorded === undefined && known.length === entries.length) return { entries, incomplete: false };
    const key = `${block.slot}:${block.hash}`;
    const times = (this.asked.get(key) ?? 0) + 1;
    const everywhere = times >= TIMES_A_NODE * this.nodes;
    if (everywhere && (unrecorded === undefined || takeIncomplete)) {
      this.asked.delete(key);
      return { entries: known, incomplete: true };
    }
    this.asked.set(key, times);
    if (unrecorded === undefined) {
      return { lacking: `block ${block.slot}: ${entries.length - known.length} transactions without meta`, everywhere };
    }
    const place = `transactions[${unrecorded.index}].meta.innerInstructions`;
    return { lacking: `block ${block.slot}: ${place} is null: the node does not record them`, everywhere };
  }
}

/** Of a transaction that did something: a failed one left no trace. */
const lacksCalls = (meta: unknown): boolean =>
  isJsonRecord(meta) && meta.innerInstructions === null && (meta.err === null || meta.err === undefined);
