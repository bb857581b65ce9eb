import { headerHash } from '#libs/chain/chains/evm/proof/header-hash.js';
import type { ByteChunks } from '#libs/core/byte-chunks.js';
import type { JsonObject } from '#libs/serve/http/json-body.js';

/** `lie`: the answer is of something else than what was asked for. `doubt`: its header does not have the hash that it states. */
export type Verdict =
  | { readonly kind: 'open' | 'proved' }
  | { readonly kind: 'inconsistent-response' | 'doubt'; readonly why: string };

const OPEN: Verdict = { kind: 'open' };

/** Longer answers are passed on without a look: reading them would hold up all others. */
const MOST_READ = 8 * 1024 * 1024;

const HASH = /^0x[0-9a-f]{64}$/i;
type Fields = Readonly<Record<string, unknown>>;

/** By method: the hash that its parameters name, and what of the answer has to have it. */
const ASKED: Readonly<
  Record<string, { hash: (params: readonly unknown[]) => unknown; field: 'hash' | 'blockHash' | 'transactionHash' }>
> = {
  eth_getBlockByHash: { hash: ([hash]) => hash, field: 'hash' },
  eth_getTransactionByHash: { hash: ([hash]) => hash, field: 'hash' },
  eth_getTransactionReceipt: { hash: ([hash]) => hash, field: 'transactionHash' },
  eth_getTransactionByBlockHashAndIndex: { hash: ([hash]) => hash, field: 'blockHash' },
  eth_getBlockReceipts: { hash: ([block]) => (isFields(block) ? block.blockHash : block), field: 'blockHash' },
  eth_getLogs: { hash: ([filter]) => (isFields(filter) ? filter.blockHash : undefined), field: 'blockHash' },
};

/**
 * What a hash in the question proves of a node's answer. Only answers to questions by hash are read, all others are passed on
 * as bytes.
 */
export function verdictOf(method: string, params: string, result: ByteChunks): Verdict {
  const asked = Object.hasOwn(ASKED, method) ? ASKED[method] : undefined;
  if (asked === undefined || result.length > MOST_READ) return OPEN;
  const given = JSON.parse(params) as readonly unknown[] | JsonObject;
  const hash = Array.isArray(given) ? asked.hash(given) : undefined;
  if (typeof hash !== 'string' || !HASH.test(hash)) return OPEN;
  const found = parsed(result.joined());
  if (found === undefined) return { kind: 'inconsistent-response', why: `an answer to ${method} that is no JSON` };
  if (found === null) return OPEN;
  for (const each of Array.isArray(found) ? found : [found]) {
    if (!isFields(each) || String(each[asked.field]).toLowerCase() !== hash.toLowerCase()) {
      return { kind: 'inconsistent-response', why: `an answer to ${method} that is of another hash` };
    }
  }
  if (method !== 'eth_getBlockByHash') return OPEN;
  const proved = headerHash(found as Fields);
  if (proved === null) return OPEN;
  if (proved === hash.toLowerCase()) return { kind: 'proved' };
  return { kind: 'doubt', why: 'a header that does not have its hash' };
}

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** undefined: no JSON. */
export function parsed(result: Buffer): unknown {
  try {
    return JSON.parse(result.toString('utf8'));
  } catch {
    return undefined;
  }
}
