import { EvmQuote } from '#libs/serve/contract/rest/evm/quote-body.js';
import { lowLiquidity, noRoute, refusedParameters, routerNotReadyError, rpc } from '../../http/router-errors.js';

/** The part of the declaration that GET and POST share. */
export const quoteDeclaration = {
  path: '/evm/quote',
  summary: 'Quote',
  readsItself: true,
  answer: EvmQuote,
  errors: [...refusedParameters, noRoute, lowLiquidity, routerNotReadyError, rpc],
  access: 'keyed',
  cost: 'quote',
  cache: 'no-store',
} as const;

export const quoteDescription =
  'Priced from the pools at one block and held until `expiresAt`: send the whole object back as `quoteResponse` to build it. One venue a route, no splits, no platform fee, exact inputs only. Unknown parameters are ignored.';
