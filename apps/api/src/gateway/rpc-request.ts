import { isUtf8 } from 'node:buffer';
import { JsonNumber, jsonText } from '#libs/core/exact-json.js';
import { isJsonObject, type JsonObject, type JsonValue, readJson } from '#libs/serve/http/json-body.js';
import { HttpProblem } from '#libs/serve/http/problem.js';
import { RpcFault, rpcCodes } from './rpc-fault.js';

const MOST_CALLS = 100;

/** One call of a request. */
export interface GatewayCall {
  /** JSON text of its id, digit by digit as it was sent; null: a notification, which gets no answer. */
  readonly id: string | null;
  readonly method: string;
  readonly params: JsonValue[] | JsonObject;
}

/** A call that cannot be carried out: its answer is known. */
export interface RefusedCall {
  readonly id: string;
  readonly fault: RpcFault;
}

export interface RpcRequest {
  readonly calls: readonly (GatewayCall | RefusedCall)[];
  /** Whether the answer is a list. */
  readonly batch: boolean;
}

/** The calls of a body. What is no JSON-RPC at all becomes one refused call without an id. */
export function readRequest(body: unknown): RpcRequest {
  let value: JsonValue;
  try {
    value = readJson(textOf(body));
  } catch (error) {
    if (error instanceof HttpProblem) return refused(rpcCodes.parse, error.message);
    throw error;
  }
  if (!Array.isArray(value)) return { calls: [readCall(value)], batch: false };
  if (value.length === 0) return refused(rpcCodes.invalidRequest, 'a batch holds at least one call');
  if (value.length > MOST_CALLS) {
    return refused(
      rpcCodes.invalidRequest,
      `a batch holds at most ${MOST_CALLS} calls: this one holds ${value.length}`,
    );
  }
  return { calls: value.map(readCall), batch: true };
}

function textOf(body: unknown): string {
  if (!Buffer.isBuffer(body) || body.length === 0) throw new HttpProblem(400, 'bad_request', 'the body is empty');
  if (!isUtf8(body)) throw new HttpProblem(400, 'bad_request', 'the body must be JSON in UTF-8');
  const text = body.toString('utf8');
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

const refused = (code: number, message: string): RpcRequest => ({
  calls: [{ id: 'null', fault: new RpcFault(code, message) }],
  batch: false,
});

function readCall(value: JsonValue): GatewayCall | RefusedCall {
  if (!isJsonObject(value)) return invalid('null', 'a call must be an object');
  const { jsonrpc, id, method } = value;
  // As nodes do: clients that have nothing to say send null.
  const params = value.params ?? [];
  const known = id === null || typeof id === 'string' || id instanceof JsonNumber;
  if (id !== undefined && !known) return invalid('null', 'id must be a string, a number or null');
  const text = id === undefined ? null : jsonText(id);
  if (jsonrpc !== '2.0') return invalid(text ?? 'null', 'jsonrpc must be "2.0"');
  if (typeof method !== 'string') return invalid(text ?? 'null', 'method must be a string');
  if (!Array.isArray(params) && !isJsonObject(params))
    return invalid(text ?? 'null', 'params must be a list or an object');
  return { id: text, method, params };
}

const invalid = (id: string, message: string): RefusedCall => ({
  id,
  fault: new RpcFault(rpcCodes.invalidRequest, message),
});
