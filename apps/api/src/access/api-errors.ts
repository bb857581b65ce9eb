import type { DeclaredError, RouteDeclaration } from '#libs/serve/contract/route-declaration.js';

/** How requests of the market-data API are refused: each once, named by the routes that may. */
export const badRequestError: DeclaredError = {
  status: 400,
  code: 'bad_request',
  meaning: 'a parameter is missing or wrong; the message names it and the rule.',
  example: 'limit must be a whole number from 1 to 200',
};

export const unknownToken: DeclaredError = {
  status: 404,
  code: 'not_found',
  meaning: 'no source knows the token, or this instance does not index the chain.',
  example: 'token 0x00000000000000000000000000000000000000aa is not known on this chain',
};

export const unknownPool: DeclaredError = {
  status: 404,
  code: 'not_found',
  meaning: 'no source knows the pool, or this instance does not index the chain.',
  example: 'pool 0x00000000000000000000000000000000000000aa is not known on this chain',
};

export const unknownMedia: DeclaredError = {
  status: 404,
  code: 'not_found',
  meaning: 'there is no picture of that name.',
  example: 'there is no picture "a.png"',
};

export const unknownChain: DeclaredError = {
  status: 404,
  code: 'not_found',
  meaning: 'this instance does not index the chain.',
  example: 'no chain of that name is indexed by this instance',
};

export const unknownBoard: DeclaredError = {
  status: 404,
  code: 'not_found',
  meaning: 'there is no such board, or this instance does not index the chain.',
  example: 'no board is called hot: the boards are new, graduating and graduated',
};

export const unavailable: DeclaredError = {
  status: 503,
  code: 'upstream_unavailable',
  meaning: 'the chain cannot be served now; send the same request, with the same cursor, again.',
  example: 'the tables do not answer now',
  retry: true,
};

/** Of every keyed route: what it reads may be away. */
export const tablesAway: DeclaredError = {
  status: 502,
  code: 'upstream_unavailable',
  meaning:
    'the tables do not answer, and there is no answer of the last two minutes to send instead; try again with growing pauses. Trades and candles of Solana say 503 with `Retry-After`.',
  example: 'the tables do not answer now',
};

/** What routes have in common that read market data; `unknown`: what they may be asked for that is not there. */
export const marketRoute = (
  cost: 'read' | 'list',
  ...unknown: readonly DeclaredError[]
): Pick<RouteDeclaration, 'method' | 'errors' | 'access' | 'cost' | 'cache'> => ({
  ...{ method: 'GET', errors: [badRequestError, ...unknown, unavailable] },
  ...{ access: 'keyed', cost, cache: 'revalidate' },
});
