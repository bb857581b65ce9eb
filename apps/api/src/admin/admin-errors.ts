import type { DeclaredError } from '#libs/serve/contract/route-declaration.js';

/** How requests of the admin API are refused. */
export const wrongField: DeclaredError = {
  status: 400,
  code: 'bad_request',
  meaning: 'a parameter or field is missing, wrong or not known; the message names it and the rule.',
  example: 'credits must be a whole number from 1 to 9007199254740991',
};

export const notThere: DeclaredError = {
  status: 404,
  code: 'not_found',
  meaning: 'there is no such account or key.',
  example: 'there is no account "acme"; tidepool accounts ls lists them',
};

export const taken: DeclaredError = {
  status: 409,
  code: 'conflict',
  meaning: 'it is there already with something else, or was revoked before.',
  example: 'there is an account acme already',
};

export const logAway: DeclaredError = {
  status: 503,
  code: 'upstream_unavailable',
  meaning: 'the log does not answer; whether a change was made is known once it answers again.',
  example: 'the log of accounts does not answer now: look whether it was done before you repeat it',
  retry: true,
};

export const wrongAdminKey: DeclaredError = {
  status: 401,
  code: 'unauthorized',
  meaning: 'the admin key is missing or wrong.',
  example: 'the admin key is needed: send it as the header x-api-key or as Authorization: Bearer',
};
