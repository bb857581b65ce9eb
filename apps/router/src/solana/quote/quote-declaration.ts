import { SolQuote } from '#libs/serve/contract/rest/solana/quote-body.js';
import { quoteErrors } from '../solana-errors.js';

/** The part of the declaration that GET and POST share. */
export const quoteDeclaration = {
  path: '/quote',
  summary: 'Quote on Solana',
  readsItself: true,
  answer: SolQuote,
  errors: quoteErrors,
  access: 'keyed',
  cost: 'quote',
  cache: 'no-store',
} as const;

export const quoteDescription =
  'By Jupiter’s parameters and in its shape, priced to the unit from the pools as they were last read and held until `expiresAt`: send the whole object back as `quoteResponse` to build it. Routes go over the venues that have a live row in the config of the deployed swap program; a large amount may be split over several paths. Unknown parameters are ignored.';
