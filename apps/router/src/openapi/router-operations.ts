import type { Type } from '@nestjs/common';
import { EvmChainsAnswer } from '#libs/protocol/rest/evm/chain-body.js';
import { EvmQuote } from '#libs/protocol/rest/evm/quote-body.js';
import { EvmQuoteParameters } from '#libs/protocol/rest/evm/quote-request.js';
import { EvmReadyBody } from '#libs/protocol/rest/evm/ready-body.js';
import { EvmReceiptsAnswer, EvmReceiptsQuery } from '#libs/protocol/rest/evm/receipt-body.js';
import { EvmSwapAnswer } from '#libs/protocol/rest/evm/swap-body.js';
import { EvmSwapOfParameters, EvmSwapOfQuote } from '#libs/protocol/rest/evm/swap-request.js';
import { EvmVenuesAnswer } from '#libs/protocol/rest/evm/venue-body.js';
import { HealthBody, ReadyBody } from '#libs/protocol/rest/health-body.js';

export interface Operation {
  id: string;
  method: 'GET' | 'POST';
  path: string;
  summary: string;
  description?: string;
  query?: Type<object>;
  /** Alternatives of the body. */
  body?: readonly Type<object>[];
  /** null: the document itself. */
  answer: Type<object> | null;
  open?: boolean;
  errors: readonly number[];
}

const quoted =
  'Priced from the pools at one block and held until `expiresAt`: send the whole object back as `quoteResponse` to build it. One venue a route, no splits, no platform fee, exact inputs only. Unknown parameters are ignored.';
const built =
  'Unsigned transactions, to be signed and sent in order from your own node: approvals, then the swap. They are simulated together at the head. A build does not use its quote up. The request is cut after 10 seconds.';
const QUOTE_ERRORS = [400, 401, 404, 422, 503];
const SWAP_ERRORS = [400, 401, 404, 409, 413, 422, 503];

/** The routes of the router as its document shows them; a spec compares them with what the listener answers. */
export const routerOperations: readonly Operation[] = [
  { ...get('getHealth', '/health', 'Liveness'), answer: HealthBody, open: true, errors: [] },
  { ...get('getReady', '/ready', 'Whether any chain can trade'), answer: ReadyBody, open: true, errors: [] },
  { ...get('getDocument', '/openapi.yaml', 'This document'), answer: null, open: true, errors: [] },
  {
    ...get('getEvmQuote', '/evm/quote', 'Quote'),
    description: `${quoted} A repeated parameter counts with its first value, except the lists of venues.`,
    query: EvmQuoteParameters,
    answer: EvmQuote,
    errors: QUOTE_ERRORS,
  },
  {
    ...post('postEvmQuote', '/evm/quote', 'Quote'),
    description: `${quoted} The body is read as JSON whatever its content type, at most 262,144 bytes.`,
    body: [EvmQuoteParameters],
    answer: EvmQuote,
    errors: [...QUOTE_ERRORS, 413],
  },
  {
    ...post('buildEvmSwap', '/evm/swap', 'Build unsigned transactions'),
    description: built,
    body: [EvmSwapOfQuote, EvmSwapOfParameters],
    answer: EvmSwapAnswer,
    errors: SWAP_ERRORS,
  },
  {
    ...post('buildEvmSwapInstructions', '/evm/swap-instructions', 'Another path of /evm/swap'),
    description: built,
    body: [EvmSwapOfQuote, EvmSwapOfParameters],
    answer: EvmSwapAnswer,
    errors: SWAP_ERRORS,
  },
  {
    ...get('getEvmVenues', '/evm/venues', 'Venues and what was found of their contracts'),
    description: 'One row per venue and chain, always all of them. Only servable ones are quoted.',
    answer: EvmVenuesAnswer,
    errors: [401],
  },
  { ...get('getEvmChains', '/evm/chains', 'Chains, their policy and venues'), answer: EvmChainsAnswer, errors: [401] },
  {
    ...get('getEvmReceipts', '/evm/receipts', 'What builds promised and what the chain gave, newest first'),
    query: EvmReceiptsQuery,
    answer: EvmReceiptsAnswer,
    errors: [400, 401],
  },
  { ...get('getEvmHealth', '/evm/health', 'Liveness'), answer: HealthBody, open: true, errors: [] },
  {
    ...get('getEvmReady', '/evm/ready', 'Which chains can trade'),
    description: '200 when at least one chain can trade, else 503, with the same body.',
    answer: EvmReadyBody,
    open: true,
    errors: [],
  },
];

function get(id: string, path: string, summary: string) {
  return { method: 'GET' as const, id, path, summary };
}

function post(id: string, path: string, summary: string) {
  return { method: 'POST' as const, id, path, summary };
}
