import { ApiError } from './api-error.js';
import { isObject, pauseOf } from './json-client.js';

/** The most of a token that any route takes, in base units. */
export interface RouterLiquidity {
  readonly maxInAmount: string;
  readonly mint: string;
}

/**
 * A refusal of the router. `code` is one of its closed list, or of the key errors; the message says what to change.
 */
export class RouterError extends ApiError {
  constructor(
    code: string,
    message: string,
    status: number,
    retryAfter: number | null,
    requestId: string | null,
    /** Every reason of `not_ready`, as sentences; empty with every other code. */
    readonly reasons: readonly string[],
    /** With `low_liquidity`: how much would have a route; null with every other code. */
    readonly liquidity: RouterLiquidity | null,
  ) {
    super(code, message, status, retryAfter, requestId);
    this.name = 'RouterError';
  }
}

/** `{error, reason}`, with `reasons` or `liquidity`; key and limit errors are `{error: {code, message}}`. */
export function routerError(status: number, body: unknown, headers: Headers): RouterError {
  const told = isObject(body) ? body : {};
  const key = isObject(told.error) ? told.error : null;
  const reasons = textList(told.reasons);
  const code = text(key?.code) ?? text(told.error) ?? 'unreadable';
  const message =
    text(key?.message) ??
    text(told.reason) ??
    (reasons.length > 0 ? reasons.join('; ') : `the router answered with status ${status}`);
  const requestId = headers.get('x-request-id');
  return new RouterError(code, message, status, pauseOf(headers), requestId, reasons, liquidityOf(told.liquidity));
}

function liquidityOf(value: unknown): RouterLiquidity | null {
  if (!isObject(value)) return null;
  const { maxInAmount, mint } = value;
  const known = typeof maxInAmount === 'string' && /^\d+$/.test(maxInAmount) && typeof mint === 'string';
  return known ? { maxInAmount, mint } : null;
}

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const textList = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((entry): entry is string => typeof entry === 'string') : [];
