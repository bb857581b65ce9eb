import { logsBloom as bloomOf } from '#libs/chain/chains/evm/proof/bloom.js';
import { headerHash as hashOf } from '#libs/chain/chains/evm/proof/header-hash.js';
import { encodeRlp, rlpBytes, rlpQuantity } from '#libs/chain/chains/evm/proof/rlp.js';
import { orderedTrieRoot } from '#libs/chain/chains/evm/proof/trie-root.js';
import type { RpcHeader } from './rpc-shapes.js';

/**
 * The commitments of an EVM block: header hash, receipts root and bloom exactly as a node computes them, so that a
 * client's cross-checks hold on chains made here.
 */
const EMPTY_BLOOM = '0'.repeat(512);
export const EMPTY_UNCLES = '1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347';

export interface BareLog {
  address: string;
  topics: readonly string[];
  data: string;
}

/** Bloom (hex without prefix) of logs whose fields are 0x-prefixed. */
export const logsBloom = (logs: readonly BareLog[]): string =>
  logs.length === 0 ? EMPTY_BLOOM : bloomOf(logs).slice(2);

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

/** Consensus encoding of a receipt of any type as since Canyon; legacy receipts carry no type byte. */
export function encodeReceipt(receipt: BareReceipt): Uint8Array {
  const { status, cumulativeGasUsed, logsBloom, logs, depositNonce, depositReceiptVersion } = receipt;
  const body = encodeRlp([
    ...[rlpQuantity(status), rlpQuantity(cumulativeGasUsed), rlpBytes(logsBloom)],
    logs.map(({ address, topics, data }) => [rlpBytes(address), topics.map(rlpBytes), rlpBytes(data)]),
    ...[depositNonce, depositReceiptVersion].flatMap((value) => (value === undefined ? [] : [rlpQuantity(value)])),
  ]);
  const type = Number(receipt.type);
  return type === 0 ? body : Buffer.concat([Buffer.of(type), body]);
}

/** Root of the trie over values in their order, 0x-prefixed. */
export const trieRoot = (values: readonly Uint8Array[]): string =>
  `0x${Buffer.from(orderedTrieRoot(values)).toString('hex')}`;

/** Without prefix. */
export const receiptsRoot = (receipts: readonly BareReceipt[]): string =>
  trieRoot(receipts.map(encodeReceipt)).slice(2);

/** Hash of a header with the fields of the Prague fork, without prefix. */
export function headerHash(header: Omit<RpcHeader, 'hash'>): string {
  const hash = hashOf({ ...header });
  if (hash === null) throw new Error('a header with fields of no known fork');
  return hash.slice(2);
}
