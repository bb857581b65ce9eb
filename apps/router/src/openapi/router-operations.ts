import type { CacheRule, CostClass, RouteDeclaration } from '#libs/http/route-declaration.js';
import { declareRoute } from '#libs/http/route-declaration.js';
import { EvmChainsAnswer } from '#libs/protocol/rest/evm/chain-body.js';
import { EvmQuote } from '#libs/protocol/rest/evm/quote-body.js';
import { EvmQuoteParameters } from '#libs/protocol/rest/evm/quote-request.js';
import { EvmReadyBody } from '#libs/protocol/rest/evm/ready-body.js';
import { EvmReceiptsAnswer, EvmReceiptsQuery } from '#libs/protocol/rest/evm/receipt-body.js';
import { EvmSwapAnswer } from '#libs/protocol/rest/evm/swap-body.js';
import { EvmSwapOfParameters, EvmSwapOfQuote } from '#libs/protocol/rest/evm/swap-request.js';
import { EvmVenuesAnswer } from '#libs/protocol/rest/evm/venue-body.js';
import { HealthBody, ReadyBody } from '#libs/protocol/rest/health-body.js';
import {
  badRequest,
  feeOnTransfer,
  insufficientFunds,
  lowLiquidity,
  noRoute,
  notReady,
  notTransferable,
  quoteExpired,
  quoteMismatch,
  quoteMoved,
  rpc,
  simulationFailed,
  unknownDex,
  unsupported,
  zeroAmount,
} from './router-errors.js';

const quoted =
  'Priced from the pools at one block and held until `expiresAt`: send the whole object back as `quoteResponse` to build it. One venue a route, no splits, no platform fee, exact inputs only. Unknown parameters are ignored.';
const built =
  'Unsigned transactions, to be signed and sent in order from your own node: approvals, then the swap. They are simulated together at the head. A build does not use its quote up. The request is cut after 10 seconds.';

const document = {
  mediaType: 'application/yaml',
  description: 'OpenAPI 3.1, YAML.',
  example: { openapi: '3.1.0', info: { title: 'Tidepool router', version: '1.0.0' }, paths: {} },
};
const badQuote = [badRequest, zeroAmount, unknownDex, unsupported];
const quoteErrors = [...badQuote, noRoute, lowLiquidity, notReady, rpc];
const swapErrors = [
  ...[...badQuote, quoteMismatch, noRoute, quoteExpired, simulationFailed, quoteMoved, lowLiquidity],
  ...[insufficientFunds, feeOnTransfer, notTransferable, notReady, rpc],
];
const open = { access: 'open', cost: 'free', errors: [] } as const;
const keyed = (cost: CostClass, cache: CacheRule) => ({ access: 'keyed', cost, cache }) as const;

/** The routes of the router; the listener and the document are both made from them. */
export const routerOperations: readonly RouteDeclaration[] = [
  declareRoute({ ...get('getHealth', '/health', 'Liveness'), answer: HealthBody, ...open, cache: 'tagged' }),
  declareRoute({
    ...get('getReady', '/ready', 'Whether any chain can trade'),
    answer: ReadyBody,
    also: { 503: { type: ReadyBody, description: 'No chain can trade.' } },
    ...open,
    cache: 'no-store',
  }),
  declareRoute({ ...get('getDocument', '/openapi.yaml', 'This document'), answer: document, ...open, cache: 'tagged' }),
  declareRoute({
    ...get('getEvmQuote', '/evm/quote', 'Quote'),
    description: `${quoted} A repeated parameter counts with its first value, except the lists of venues.`,
    query: EvmQuoteParameters,
    readsItself: true,
    answer: EvmQuote,
    errors: quoteErrors,
    ...keyed('quote', 'no-store'),
  }),
  declareRoute({
    ...post('postEvmQuote', '/evm/quote', 'Quote'),
    description: `${quoted} The body is read as JSON whatever its content type, at most 262,144 bytes.`,
    body: [EvmQuoteParameters],
    readsItself: true,
    answer: EvmQuote,
    errors: quoteErrors,
    ...keyed('quote', 'no-store'),
  }),
  ...(['/evm/swap', '/evm/swap-instructions'] as const).map((path) =>
    declareRoute({
      ...(path === '/evm/swap'
        ? post('buildEvmSwap', path, 'Build unsigned transactions')
        : post('buildEvmSwapInstructions', path, 'Another path of /evm/swap')),
      description: built,
      body: [EvmSwapOfQuote, EvmSwapOfParameters],
      readsItself: true,
      answer: EvmSwapAnswer,
      errors: swapErrors,
      ...keyed('build', 'no-store'),
    }),
  ),
  declareRoute({
    ...get('getEvmVenues', '/evm/venues', 'Venues and what was found of their contracts'),
    description: 'One row per venue and chain, always all of them. Only servable ones are quoted.',
    answer: EvmVenuesAnswer,
    errors: [],
    ...keyed('status', 'tagged'),
  }),
  declareRoute({
    ...get('getEvmChains', '/evm/chains', 'Chains, their policy and venues'),
    answer: EvmChainsAnswer,
    errors: [],
    ...keyed('status', 'tagged'),
  }),
  declareRoute({
    ...get('getEvmReceipts', '/evm/receipts', 'What builds promised and what the chain gave, newest first'),
    query: EvmReceiptsQuery,
    answer: EvmReceiptsAnswer,
    errors: [badRequest],
    ...keyed('list', 'tagged'),
  }),
  declareRoute({ ...get('getEvmHealth', '/evm/health', 'Liveness'), answer: HealthBody, ...open, cache: 'tagged' }),
  declareRoute({
    ...get('getEvmReady', '/evm/ready', 'Which chains can trade'),
    description: '200 when at least one chain can trade, else 503, with the same body.',
    answer: EvmReadyBody,
    also: { 503: { type: EvmReadyBody, description: 'No chain can trade.' } },
    ...open,
    cache: 'no-store',
  }),
];

function get(id: string, path: string, summary: string) {
  return { method: 'GET' as const, id, path, summary };
}

function post(id: string, path: string, summary: string) {
  return { method: 'POST' as const, id, path, summary };
}
