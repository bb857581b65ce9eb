import { HttpProblem } from '#libs/http/problem.js';

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

/** Whoever is told to come back is told when. */
export const RETRY_LATER = { 'retry-after': '1' } as const;

export const zeroAmount = () => new HttpProblem(400, 'zero_amount', 'amount must be above 0');

export const unsupported = (message: string) => new HttpProblem(400, 'unsupported', message);

export const unknownDex = (message: string) => new HttpProblem(400, 'unknown_dex', message);

export const quoteMismatch = (message: string) => new HttpProblem(400, 'quote_mismatch', message);

export const noRoute = (message: string) => new HttpProblem(404, 'no_route', message);

export const quoteExpired = () =>
  new HttpProblem(409, 'quote_expired', 'this quote is unknown here or has expired: ask for a new one');

export const lowLiquidity = (maxInAmount: bigint, mint: string) =>
  new HttpProblem(
    422,
    'low_liquidity',
    `routes exist, but none of them takes that much: ask for at most ${maxInAmount} base units of ${mint}`,
    {},
    { liquidity: { maxInAmount: String(maxInAmount), mint } },
  );

export const notReady = (reasons: readonly string[]) =>
  new HttpProblem(503, 'not_ready', reasons.join('; '), RETRY_LATER, { reasons });

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
