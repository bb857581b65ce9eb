import { MalformedTransactionError } from '../malformed.js';
import { isSlot, type NodeBlock, type PlacedTransaction, readNodeHeader } from '../rpc/node-block.js';
import { VOTE_PROGRAM } from '../rpc/vote-shapes.js';
import type { SolanaTransaction } from '../transaction.js';
import { readGeyserTransaction } from './geyser-transaction.js';
import type { KeyTexts } from './key-texts.js';
import { lengthField, numberField, ProtobufReader } from './protobuf.js';

/**
 * Messages of a Geyser stream (SubscribeRequest and SubscribeUpdate of geyser.proto). Invariant: a block that is answered as
 * a block is whole: it has as many transactions as the validator executed, each place taken once.
 */
export type GeyserUpdate =
  | { kind: 'block'; block: NodeBlock }
  /** A block is there, but not all of it was sent. */
  | { kind: 'part'; slot: number }
  | { kind: 'ping' }
  | { kind: 'pong' }
  | { kind: 'other' };

const CONFIRMED = 1;

/** Asks for every confirmed block with its transactions, without accounts and entries. */
export function blockRequest(): Buffer {
  const filter = Buffer.concat([numberField(2, 1), numberField(3, 0), numberField(4, 0)]);
  const named = Buffer.concat([lengthField(1, Buffer.from('blocks')), lengthField(2, filter)]);
  return Buffer.concat([lengthField(4, named), numberField(6, CONFIRMED)]);
}

/** Asks for a pong. The subscription stays as it is. */
export const pingRequest = (): Buffer => lengthField(9, numberField(1, 1));

/** Throws MalformedTransactionError for bytes that are no update. */
export function readUpdate(bytes: Buffer, texts: KeyTexts): GeyserUpdate {
  const update = new ProtobufReader(bytes, 'update');
  let found: GeyserUpdate = { kind: 'other' };
  while (update.next()) {
    if (update.field === 5) found = readBlock(update.message('block'), texts);
    else if (update.field === 6) found = { kind: 'ping' };
    else if (update.field === 9) found = { kind: 'pong' };
  }
  return found;
}

function readBlock(block: ProtobufReader, texts: KeyTexts): GeyserUpdate {
  let slot = 0;
  let executed = 0;
  const header = { blockhash: '', previousBlockhash: '', parentSlot: 0, blockTime: null as number | null };
  const transactions: PlacedTransaction[] = [];
  const places = new Set<number>();
  let count = 0;
  while (block.next()) {
    if (block.field === 1) slot = block.number();
    else if (block.field === 2) header.blockhash = block.text();
    else if (block.field === 7) header.parentSlot = block.number();
    else if (block.field === 8) header.previousBlockhash = block.text();
    else if (block.field === 9) executed = block.number();
    else if (block.field === 4) {
      const time = block.message('block.blockTime');
      while (time.next()) if (time.field === 1) header.blockTime = time.number();
    } else if (block.field === 6) {
      const path = `transactions[${count++}]`;
      const { index, tx } = readGeyserTransaction(block.message(path), path, texts);
      places.add(index);
      if (tx && !onlyVotes(tx)) transactions.push({ index, tx });
    }
  }
  if (!isSlot(slot)) throw new MalformedTransactionError('block.slot', 'no slot');
  const read = readNodeHeader(slot, header);
  const whole = count === executed && places.size === count && [...places].every((index) => index < count);
  if (!read || !whole) return { kind: 'part', slot };
  transactions.sort((a, b) => a.index - b.index);
  return { kind: 'block', block: { ...read, transactions, count } };
}

/** As for blocks of a node: whether every top-level instruction calls the vote program, and there is one. */
const onlyVotes = ({ instructions }: SolanaTransaction): boolean =>
  instructions.length > 0 && instructions.every(({ inner, program }) => inner >= 0 || program === VOTE_PROGRAM);
