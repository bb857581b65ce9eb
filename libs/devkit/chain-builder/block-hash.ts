import { orderedTrieRoot } from './ordered-trie.js';
import { keccakHex, rlpBytes, rlpList, rlpQuantity } from './rlp.js';
import type { RpcHeader } from './rpc-shapes.js';

/**
 * The commitments of an EVM block: header hash, receipts root and bloom exactly as a node computes them, so that a
 * client's cross-checks hold on chains made here.
 */
export const EMPTY_BLOOM = '0'.repeat(512);
export const EMPTY_UNCLES = '1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347';

const bitsOf = new Map<string, readonly [number, number, number]>();
const MAX_CACHED_BITS = 200_000;

/** The three bloom bits of an address or topic (hex without prefix). */
function bloomBits(hex: string): readonly [number, number, number] {
  const known = bitsOf.get(hex);
  if (known) return known;
  const hash = keccakHex(hex);
  const bit = (at: number) => Number.parseInt(hash.slice(at, at + 4), 16) & 2047;
  const bits = [bit(0), bit(4), bit(8)] as const;
  if (bitsOf.size >= MAX_CACHED_BITS) bitsOf.clear();
  bitsOf.set(hex, bits);
  return bits;
}

export interface BareLog {
  address: string;
  topics: readonly string[];
  data: string;
}

/** Bloom (hex without prefix) of logs whose fields are 0x-prefixed. */
export function logsBloom(logs: readonly BareLog[]): string {
  if (logs.length === 0) return EMPTY_BLOOM;
  const bloom = Buffer.alloc(256);
  for (const log of logs) {
    for (const value of [log.address, ...log.topics]) {
      for (const bit of bloomBits(value.slice(2))) {
        const at = 255 - (bit >> 3);
        bloom[at] = (bloom[at] as number) | (1 << (bit & 7));
      }
    }
  }
  return bloom.toString('hex');
}

export function mergeBlooms(blooms: readonly string[]): string {
  const merged = Buffer.alloc(256);
  for (const bloom of blooms) {
    if (bloom === EMPTY_BLOOM) continue;
    const bytes = Buffer.from(bloom, 'hex');
    for (let i = 0; i < 256; i++) merged[i] = (merged[i] as number) | (bytes[i] as number);
  }
  return merged.toString('hex');
}

export interface BareReceipt {
  type: string;
  status: string;
  cumulativeGasUsed: string;
  depositNonce?: string;
  depositReceiptVersion?: string;
  logsBloom: string;
  logs: readonly BareLog[];
}

/** Consensus encoding of a receipt as since Canyon; legacy receipts carry no type byte. */
export function encodeReceipt(receipt: BareReceipt): string {
  const body = rlpList([
    rlpQuantity(BigInt(receipt.status)),
    rlpQuantity(BigInt(receipt.cumulativeGasUsed)),
    rlpBytes(receipt.logsBloom.slice(2)),
    rlpList(
      receipt.logs.map((log) =>
        rlpList([
          rlpBytes(log.address.slice(2)),
          rlpList(log.topics.map((topic) => rlpBytes(topic.slice(2)))),
          rlpBytes(log.data.slice(2)),
        ]),
      ),
    ),
    ...[receipt.depositNonce, receipt.depositReceiptVersion].flatMap((value) =>
      value === undefined ? [] : [rlpQuantity(BigInt(value))],
    ),
  ]);
  const type = Number(receipt.type);
  return type === 0 ? body : type.toString(16).padStart(2, '0') + body;
}

export function receiptsRoot(receipts: readonly BareReceipt[]): string {
  return orderedTrieRoot(receipts.map(encodeReceipt));
}

/** Hash of a header with the fields of the Prague fork, without prefix. */
export function headerHash(header: Omit<RpcHeader, 'hash'>): string {
  const bytes = (value: string) => rlpBytes(value.slice(2));
  const number = (value: string) => rlpQuantity(BigInt(value));
  return keccakHex(
    rlpList([
      bytes(header.parentHash),
      bytes(header.sha3Uncles),
      bytes(header.miner),
      bytes(header.stateRoot),
      bytes(header.transactionsRoot),
      bytes(header.receiptsRoot),
      bytes(header.logsBloom),
      number(header.difficulty),
      number(header.number),
      number(header.gasLimit),
      number(header.gasUsed),
      number(header.timestamp),
      bytes(header.extraData),
      bytes(header.mixHash),
      bytes(header.nonce),
      number(header.baseFeePerGas),
      bytes(header.withdrawalsRoot),
      number(header.blobGasUsed),
      number(header.excessBlobGas),
      bytes(header.parentBeaconBlockRoot),
      // Since Prague.
      ...(header.requestsHash === undefined ? [] : [bytes(header.requestsHash)]),
    ]),
  );
}
