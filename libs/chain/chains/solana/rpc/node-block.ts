import { decodeBase58 } from '#libs/core/base58.js';
import type { Hex } from '#libs/core/ids.js';
import { isJsonRecord, type Json, MalformedTransactionError } from '../malformed.js';
import { readSolanaTransaction } from '../read-transaction.js';
import type { SolanaTransaction } from '../transaction.js';

/** What a node says of a block apart from its transactions. Hashes are lower-case hex of the raw bytes. */
export interface NodeHeader {
  readonly slot: number;
  readonly hash: Hex;
  /** Slot of the block before: skipped slots are between. The first block of a chain names its own slot. */
  readonly parentSlot: number;
  readonly parentHash: Hex;
  /** Unix ms; null where the node does not know it. */
  readonly time: number | null;
}

/**
 * A block in the words of one node, its fields checked for shape alone: whether it continues the chain is for its reader
 * to judge. Transactions that only vote are left out.
 */
export interface NodeBlock extends NodeHeader {
  readonly transactions: readonly PlacedTransaction[];
  /** How many transactions the whole block has, votes counted. */
  readonly count: number;
  /** Set where no node tells how some of its transactions ended, or what they called, and it is taken all the same. */
  readonly incomplete?: true;
}

/** `index` is the transaction's place in the whole block, votes counted. */
export interface PlacedTransaction {
  readonly index: number;
  readonly tx: SolanaTransaction;
}

/** An entry of a block's list of transactions, as JSON. */
export interface PlacedEntry {
  readonly index: number;
  readonly entry: Json;
}

/** The header in a getBlock answer; null when a field is missing or has another shape. */
export function readNodeHeader(slot: number, answer: unknown): NodeHeader | null {
  if (!isJsonRecord(answer)) return null;
  const hash = hashOf(answer.blockhash);
  const parentHash = hashOf(answer.previousBlockhash);
  const { parentSlot, blockTime } = answer;
  if (hash === null || parentHash === null || !isSlot(parentSlot)) return null;
  if (parentSlot >= slot && slot !== 0) return null;
  const time = typeof blockTime === 'number' && Number.isSafeInteger(blockTime * 1000) ? blockTime * 1000 : null;
  return { slot, hash, parentSlot, parentHash, time };
}

/**
 * An entry that a node gives twice, word for word, counts once: what comes after it moves up. Throws
 * MalformedTransactionError, also for two entries of one signature that differ.
 */
export function readEntries(entries: readonly PlacedEntry[], count: number): Pick<NodeBlock, 'transactions' | 'count'> {
  const transactions: PlacedTransaction[] = [];
  const seen = new Map<string, Json>();
  let repeats = 0;
  for (const { index, entry } of entries) {
    const path = `transactions[${index}]`;
    const tx = readSolanaTransaction(entry, path);
    const before = seen.get(tx.signature);
    if (before === undefined) {
      seen.set(tx.signature, entry);
      transactions.push({ index: index - repeats, tx });
    } else if (JSON.stringify(before) === JSON.stringify(entry)) repeats++;
    else throw new MalformedTransactionError(path, 'another transaction of the same signature');
  }
  return { transactions, count: count - repeats };
}

export const isSlot = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** Lower-case hex of a base58 text of 32 bytes; null for anything else. */
export function hashOf(text: unknown): Hex | null {
  if (typeof text !== 'string' || text.length < 32 || text.length > 44) return null;
  const bytes = decodeBase58(text);
  return bytes?.length === 32 ? Buffer.from(bytes).toString('hex') : null;
}
