import { bloomCovers, logsBloom } from '#libs/chain/chains/evm/proof/bloom.js';
import { headerHash } from '#libs/chain/chains/evm/proof/header-hash.js';
import { receiptsRoot } from '#libs/chain/chains/evm/proof/receipts-root.js';
import type { RpcLog, RpcReceipt } from '#libs/chain/chains/evm/rpc-shapes.js';
import type { ByteChunks } from '#libs/core/byte-chunks.js';
import { isFields, parsed, type Verdict } from './answer-proof.js';

/** What a header commits to; its hash is proved. */
export interface BlockRoots {
  readonly receiptsRoot: string;
  readonly logsBloom: string;
}

/** A question for the receipts or the logs of a block that is named by its hash. */
export interface OfBlock {
  readonly hash: string;
  /** `some`: logs by address or topic. */
  readonly what: 'receipts' | 'logs' | 'some';
}

const OPEN: Verdict = { kind: 'open' };
const HASH = /^0x[0-9a-f]{64}$/i;
/** Longer answers are passed on without a look: reading them would hold up all others. */
const MOST_READ = 4 * 1024 * 1024;

/** null: no header says anything of the answer. */
export function ofBlock(method: string, params: string): OfBlock | null {
  if (method !== 'eth_getBlockReceipts' && method !== 'eth_getLogs') return null;
  const list: unknown = JSON.parse(params);
  if (!Array.isArray(list)) return null;
  const [given] = list as unknown[];
  const named = isFields(given) ? given : { blockHash: given };
  const { blockHash: hash } = named;
  if (typeof hash !== 'string' || !HASH.test(hash)) return null;
  if (method === 'eth_getBlockReceipts') return { hash: hash.toLowerCase(), what: 'receipts' };
  const filtered = ['address', 'topics'].some((name) => {
    const value = named[name];
    return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
  });
  return { hash: hash.toLowerCase(), what: filtered ? 'some' : 'logs' };
}

/** null: the header has not this hash, or has fields whose place in its encoding is not known. */
export function rootsOf(header: Buffer, hash: string): BlockRoots | null {
  const fields = parsed(header);
  if (!isFields(fields) || headerHash(fields) !== hash) return null;
  return { receiptsRoot: String(fields.receiptsRoot).toLowerCase(), logsBloom: String(fields.logsBloom).toLowerCase() };
}

/**
 * What a proved header says of the receipts or logs of its block. All receipts are proved by their root, all logs by the bloom,
 * as far as addresses and topics go; of some logs the bloom shows those that were never there.
 */
export function verdictByRoots({ what }: OfBlock, result: ByteChunks, roots: BlockRoots): Verdict {
  if (result.length > MOST_READ) return OPEN;
  const found = parsed(result.joined());
  if (!Array.isArray(found)) return OPEN;
  try {
    if (what === 'some') {
      return bloomCovers(roots.logsBloom, found as RpcLog[])
        ? OPEN
        : doubt('logs that the bloom of their block has not');
    }
    if (what === 'logs') {
      return logsBloom(found as RpcLog[]) === roots.logsBloom
        ? PROVED
        : doubt('logs whose bloom is not that of their block');
    }
    const root = receiptsRoot(found as RpcReceipt[]);
    if (typeof root !== 'string') return OPEN;
    return root === roots.receiptsRoot ? PROVED : doubt('receipts whose root is not that of their block');
  } catch {
    return doubt(`${what === 'receipts' ? 'receipts' : 'logs'} that cannot be read`);
  }
}

const PROVED: Verdict = { kind: 'proved' };
const doubt = (why: string): Verdict => ({ kind: 'doubt', why });
