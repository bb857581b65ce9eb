import type { RpcErrorKind } from '../../rpc/rpc-error.js';

export { RpcError, type RpcErrorKind } from '../../rpc/rpc-error.js';

const TOO_LARGE =
  /more than [\d,]+ (results|logs)|too many (results|logs|blocks)|(block|range|result|response|log).{0,40}(too (large|big|wide|many)|limit|exceed)|(exceed|limit|maximum).{0,60}(block range|range|results|response size|blocks|logs)|block range|narrow|query timeout|limited to|batch.{0,20}(size|limit|too)/i;
const RATE_LIMITED =
  /rate.?limit|too many requests|capacity|compute units|request.{0,20}(count|limit).{0,20}exceed|throttl|quota/i;
const PRUNED =
  /missing trie node|state.{0,40}(not available|unavailable|pruned|missing)|historical state|pruned|archive|old data not available|history has been pruned/i;
const UNKNOWN_BLOCK =
  /header not found|resource not found|unknown block|block.{0,20}not found|no block|BlockOutOfRange/i;
const REVERTED =
  /revert|invalid (opcode|jump|instruction)|bad instruction|out ?of ?gas|gas (required|uint64|limit|too low)|stack ?(under|over)flow|execution (error|aborted|failed|timeout)|vm (exception|execution)|return data out of bounds|write protection|insufficient (balance|funds)|evmerror|opcodenotfound|invalidjump|invalidfeopcode/i;
const METHOD_MISSING =
  /method.{0,60}(not found|not supported|not available|does not exist|not exist|disabled)|unsupported method/i;

/** Kind of a JSON-RPC error object. Providers share codes between meanings, so the text decides first. */
export function classifyRpcError(code: number, message: string): RpcErrorKind {
  if (code === 3 || REVERTED.test(message)) return 'reverted';
  if (code === 429) return 'rate-limited';
  if (code === -32601 || METHOD_MISSING.test(message)) return 'method-missing';
  if (RATE_LIMITED.test(message) && !/results|range|logs|response size/i.test(message)) return 'rate-limited';
  if (TOO_LARGE.test(message)) return 'too-large';
  if (code === -32005) return 'rate-limited';
  if (PRUNED.test(message)) return 'pruned';
  if (UNKNOWN_BLOCK.test(message)) return 'unknown-block';
  return 'server';
}
