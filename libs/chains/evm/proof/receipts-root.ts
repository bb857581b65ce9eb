import type { RpcLog, RpcReceipt } from '../rpc-shapes.js';
import { encodeRlp, type RlpItem } from './rlp.js';
import { orderedTrieRoot } from './trie-root.js';

/** Receipt types whose consensus encoding is [status or root, gas, bloom, logs]: legacy, 2930, 1559, 4844, 7702. */
const KNOWN_TYPES = new Set([0, 1, 2, 3, 4]);

/**
 * The receiptsRoot that these receipts (all of a block, in order) commit to, 0x-prefixed. Null when a receipt has a type
 * whose encoding is not known here, so that nothing can be said.
 */
export function receiptsRoot(receipts: readonly RpcReceipt[]): string | null {
  const encoded: Uint8Array[] = [];
  for (const receipt of receipts) {
    const type = Number(receipt.type ?? '0x0');
    if (!KNOWN_TYPES.has(type)) return null;
    const body = encodeRlp([
      receipt.root === undefined || receipt.status !== undefined
        ? quantity(receipt.status ?? '0x0')
        : bytes(receipt.root),
      quantity(receipt.cumulativeGasUsed),
      bytes(receipt.logsBloom),
      receipt.logs.map(logItem),
    ]);
    if (type === 0) {
      encoded.push(body);
    } else {
      const typed = new Uint8Array(body.length + 1);
      typed[0] = type;
      typed.set(body, 1);
      encoded.push(typed);
    }
  }
  return `0x${Buffer.from(orderedTrieRoot(encoded)).toString('hex')}`;
}

function logItem(log: RpcLog): RlpItem {
  return [bytes(log.address), log.topics.map(bytes), bytes(log.data)];
}

function bytes(prefixed: string): Uint8Array {
  return Buffer.from(prefixed.slice(2), 'hex');
}

/** An integer without leading zeros; zero is the empty string. */
function quantity(prefixed: string): Uint8Array {
  const digits = prefixed.slice(2).replace(/^0+/, '');
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex');
}
