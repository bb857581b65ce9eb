import { FaultyNodeError } from './rpc-node.js';

/** JSON-RPC texts: what came in, strictly read, and what goes out, pure ASCII. */
export interface WireCall {
  id: unknown;
  method: string;
  params: readonly unknown[];
}

export interface Body {
  batch: boolean;
  calls: WireCall[];
}

export function parseBody(text: string): Body | null {
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch {
    return null;
  }
  const list = Array.isArray(raw) ? raw : [raw];
  const calls: WireCall[] = [];
  for (const item of list) {
    if (typeof item !== 'object' || item === null) return null;
    const { id, method, params } = item as { id?: unknown; method?: unknown; params?: unknown };
    if (typeof method !== 'string') return null;
    calls.push({ id: id ?? null, method, params: Array.isArray(params) ? params : [] });
  }
  return calls.length > 0 ? { batch: Array.isArray(raw), calls } : null;
}

export function rateLimited(): FaultyNodeError {
  return new FaultyNodeError(-32005, 'daily request count exceeded, request rate limited');
}

export function resultText(id: unknown, result: string): string {
  return `{"jsonrpc":"2.0","id":${asciiJson(id)},"result":${result}}`;
}

/** The same for a result in pieces. */
export function resultPieces(id: unknown, result: string | readonly string[]): string[] {
  const pieces = typeof result === 'string' ? [result] : result;
  return [`{"jsonrpc":"2.0","id":${asciiJson(id)},"result":`, ...pieces, '}'];
}

/** What a client sent may hold any character; answers are pure ASCII, so that they are copied and never encoded. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u0080-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export function errorText(id: unknown, error: FaultyNodeError): string {
  const { code, message, data } = error;
  return asciiJson({ jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } });
}
