import type { RpcErrorKind } from '../../rpc/rpc-error.js';

/** Codes by which nodes speak of a block. Their sentences tell more than the code where providers reuse it. */
const UNKNOWN_BLOCK: ReadonlySet<number> = new Set([
  -32004, // not available (yet)
  -32007, // skipped, or missing after a jump to a snapshot
  -32009, // skipped, or missing in long-term storage
  -32014, // status not yet available
]);
const PRUNED: ReadonlySet<number> = new Set([
  -32001, // cleaned up
  -32011, // transaction history not available
]);

const BEHIND = /behind|unhealthy|minimum context slot/i;
const RATE_LIMITED = /rate.?limit|too many requests|exceeded.{0,40}(limit|quota|credits)|capacity|throttl|quota/i;
const TOO_LARGE = /(range|limit|batch|response|result|payload).{0,30}(too (large|big|long)|exceed)|too (large|big)/i;
const METHOD_MISSING =
  /method.{0,60}(not found|not supported|not available|does not exist|disabled)|unsupported method|not enabled/i;

/** Kind of a JSON-RPC error object of a Solana node. */
export function classifySolanaError(code: number, message: string): RpcErrorKind {
  if (PRUNED.has(code)) return 'pruned';
  if (UNKNOWN_BLOCK.has(code)) return 'unknown-block';
  // -32016: a minimum slot that this node has not come to. -32005: behind, or a provider's limit.
  if (code === -32016 || BEHIND.test(message)) return 'server';
  if (code === 429 || code === -32005 || code === -32429 || RATE_LIMITED.test(message)) return 'rate-limited';
  if (code === -32601 || METHOD_MISSING.test(message)) return 'method-missing';
  if (TOO_LARGE.test(message)) return 'too-large';
  if (code === -32602) return 'bad-params';
  return 'server';
}
