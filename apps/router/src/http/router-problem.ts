import { HttpProblem } from '#libs/serve/http/problem.js';
import { NodesUnavailableError } from '../nodes/chain-nodes.js';
import { Refusal, type RefusalCode } from '../refusal.js';

/** The router's refusals: one closed list of codes, each with a reason that tells the caller what to change. */

/** Every `error` that the EVM routes answer, key and limit errors included. */
export const routerErrorCodes = [
  'bad_request',
  'zero_amount',
  'quote_mismatch',
  'unknown_dex',
  'unsupported',
  'unauthorized',
  'rate_limited',
  'no_route',
  'not_found',
  'quote_expired',
  'simulation_failed',
  'quote_moved',
  'too_large',
  'low_liquidity',
  'insufficient_funds',
  'fee_on_transfer',
  'token_not_transferable',
  'internal',
  'not_ready',
  'rpc',
] as const;

/** A 503 is worth another try a second later. */
export const RETRY_LATER = { 'retry-after': '1' } as const;

export const zeroAmount = () => new HttpProblem(400, 'zero_amount', 'amount must be above 0');

export const unsupported = (message: string) => new HttpProblem(400, 'unsupported', message);

export const unknownDex = (message: string) => new HttpProblem(400, 'unknown_dex', message);

export const quoteMismatch = (message: string) => new HttpProblem(400, 'quote_mismatch', message);

/** The status of each refusal. */
const STATUS: Readonly<Record<RefusalCode, number>> = {
  bad_request: 400,
  no_route: 404,
  quote_expired: 409,
  simulation_failed: 409,
  quote_moved: 409,
  low_liquidity: 422,
  insufficient_funds: 422,
  fee_on_transfer: 422,
  token_not_transferable: 422,
  not_ready: 503,
};

/** What the router refuses as a problem of HTTP; anything else stays what it is. Every 503 says when to try again. */
export function asProblem(error: unknown): unknown {
  if (error instanceof Refusal) {
    const status = STATUS[error.code];
    return new HttpProblem(status, error.code, error.message, status === 503 ? RETRY_LATER : {}, error.details);
  }
  if (error instanceof NodesUnavailableError) {
    return new HttpProblem(503, 'rpc', `no node of ${error.chain} answered; try again`, RETRY_LATER);
  }
  if (error instanceof HttpProblem && error.status === 503 && error.headers['retry-after'] === undefined) {
    return new HttpProblem(503, error.code, error.message, { ...error.headers, ...RETRY_LATER }, error.details);
  }
  return error;
}

/** The event log has not answered since the start: no key can be known. */
export const keysNotRead = () => {
  const message = 'the keys are not read yet';
  return new HttpProblem(503, 'not_ready', message, RETRY_LATER, { reasons: [message] });
};

export const requestTimeout = () => new HttpProblem(503, 'rpc', 'request_timeout', RETRY_LATER);

/**
 * `{error, reason}` and what the code adds. Key and limit errors have the body of the market-data API; `not_ready`
 * carries every reason as a list and none as `reason`.
 */
export function routerErrorBody(problem: HttpProblem): unknown {
  if (problem.status === 401 || problem.status === 429) {
    return { error: { code: problem.code, message: problem.message } };
  }
  if (problem.code === 'not_ready') return { error: problem.code, ...problem.details };
  return { error: problem.code, reason: problem.message, ...problem.details };
}
