import { lateRequest, requestErrors } from '#libs/http/listener-errors.js';
import type { DeclaredError } from '#libs/http/route-declaration.js';
import { ErrorBody } from '#libs/protocol/rest/error-body.js';

/** How requests of the market-data API are refused: each once, named by the routes that may. */
export const badRequest: DeclaredError = {
  status: 400,
  code: 'bad_request',
  meaning: 'a parameter is missing or wrong; the message names it and the rule.',
};

export const unknownToken: DeclaredError = {
  status: 404,
  code: 'not_found',
  meaning: 'no source knows the token, or this instance does not index the chain.',
};

export const unknownChain: DeclaredError = {
  status: 404,
  code: 'not_found',
  meaning: 'this instance does not index the chain.',
};

export const unavailable: DeclaredError = {
  status: 503,
  code: 'upstream_unavailable',
  meaning: 'the chain cannot be served now; send the same request, with the same cursor, again.',
  retry: true,
};

export const keyErrors: readonly DeclaredError[] = [
  { status: 401, code: 'unauthorized', meaning: 'the key is missing or unknown.' },
  { status: 429, code: 'rate_limited', meaning: "over the key's rate; try again within a second.", retry: true },
];

/** What any request may be answered, whatever its route. */
export const commonErrors: readonly DeclaredError[] = [
  ...requestErrors,
  lateRequest,
  { status: 500, code: 'internal', meaning: 'a bug or a failure of ours; the message has the id of the request.' },
];

export const apiErrorBody = ErrorBody;
