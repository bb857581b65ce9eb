import type { DeclaredError } from '#libs/serve/contract/route-declaration.js';
import type { HttpProblem } from '#libs/serve/http/problem.js';

/** Errors of the relay and the utilities: `{success: false, error: {code, message}}`. */
export const hostErrorBody = ({ code, message }: HttpProblem): unknown => ({
  success: false,
  error: { code, message },
});

export const hostBadRequestError: DeclaredError = {
  status: 400,
  code: 'bad_request',
  meaning: 'a field is missing or wrong; the message names it and the rule.',
  example: 'transactions must be a list of 1 to 5 texts',
};

export const hostNotReadyError: DeclaredError = {
  status: 503,
  code: 'not_ready',
  meaning: 'this instance cannot do it now or is not configured for it; the message says what is missing.',
  example: 'no block engine is configured (TIDEPOOL_RELAY_UPSTREAM)',
  retry: true,
};

export const upstreamUnavailable: DeclaredError = {
  status: 503,
  code: 'upstream_unavailable',
  meaning: 'no node answered; send the same request again.',
  example: 'no node of the chain answered: try again',
  retry: true,
};

export const requestCut: DeclaredError = {
  status: 503,
  code: 'rpc',
  meaning: 'the request was cut after 10 s (`request_timeout`).',
  example: 'request_timeout',
  retry: true,
};
