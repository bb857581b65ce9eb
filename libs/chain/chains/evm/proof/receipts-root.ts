import type { RpcLog, RpcReceipt } from '../rpc-shapes.js';
import { rlpBytes as bytes, encodeRlp, rlpQuantity as quantity, type RlpItem } from './rlp.js';
import { orderedTrieRoot } from './trie-root.js';

const LEGACY = 0;
/** Deposits of the OP stack. */
const DEPOSIT = 0x7e;

/** Receipt types whose consensus encoding is [status or root, gas, bloom, logs] behind the type's byte. */
const KNOWN_TYPES: ReadonlySet<number> = new Set([
  ...[LEGACY, 1, 2, 3, 4], // Ethereum: legacy, 2930, 1559, 4844, 7702
  ...[0x64, 0x65, 0x66, 0x68, 0x69, 0x6a], // Arbitrum: deposit, unsigned, contract, retry, submit retryable, internal
  DEPOSIT,
]);

/** A type whose encoding is not known here: no root can be computed over it. */
export interface UnknownReceiptType {
  readonly unknownType: string;
}

/** The receiptsRoot that these receipts (all of a block, in order) commit to, 0x-prefixed. */
export function receiptsRoot(receipts: readonly RpcReceipt[]): string | UnknownReceiptType {
  const encoded: Uint8Array[] = [];
  for (const receipt of receipts) {
    const bytes = consensusReceipt(receipt);
    if (bytes === null) return { unknownType: String(receipt.type) };
    encoded.push(bytes);
  }
  return `0x${Buffer.from(orderedTrieRoot(encoded)).toString('hex')}`;
}

/** A receipt as the trie holds it; null for an unknown type. */
export function consensusReceipt(receipt: RpcReceipt): Uint8Array | null {
  const type = Number(receipt.type ?? '0x0');
  if (!KNOWN_TYPES.has(type)) return null;
  const fields: RlpItem[] = [
    receipt.root === undefined || receipt.status !== undefined
      ? quantity(receipt.status ?? '0x0')
      : bytes(receipt.root),
    quantity(receipt.cumulativeGasUsed),
    bytes(receipt.logsBloom),
    receipt.logs.map(logItem),
  ];
  // Since the Canyon fork a deposit's receipt has a version, and commits to its nonce. Before, the trie left out the nonce
  // even where nodes show one.
  if (type === DEPOSIT && receipt.depositReceiptVersion !== undefined) {
    fields.push(quantity(receipt.depositNonce ?? '0x0'), quantity(receipt.depositReceiptVersion));
  }
  const body = encodeRlp(fields);
  if (type === LEGACY) return body;
  const typed = new Uint8Array(body.length + 1);
  typed[0] = type;
  typed.set(body, 1);
  return typed;
}

function logItem(log: RpcLog): RlpItem {
  return [bytes(log.address), log.topics.map(bytes), bytes(log.data)];
}
