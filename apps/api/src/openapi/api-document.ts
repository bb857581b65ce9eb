import { Get, type Type } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse } from '@nestjs/swagger';
import { type DescribedOperation, openApiDocument } from '#libs/http/openapi-document.js';
import { queryParameters } from '#libs/http/openapi-parameters.js';
import { CandlesAnswer } from '#libs/protocol/rest/candle-body.js';
import { ChainsAnswer } from '#libs/protocol/rest/chain-body.js';
import { ErrorBody } from '#libs/protocol/rest/error-body.js';
import { HealthBody, ReadyBody } from '#libs/protocol/rest/health-body.js';
import { ScreenerQuery, SearchQuery } from '#libs/protocol/rest/market-queries.js';
import { Meta } from '#libs/protocol/rest/meta.js';
import { CandlesQuery, TokenQuery, TradesQuery } from '#libs/protocol/rest/queries.js';
import { ScreenerAnswer } from '#libs/protocol/rest/screener-body.js';
import { SearchAnswer } from '#libs/protocol/rest/search-body.js';
import { StatusAnswer } from '#libs/protocol/rest/status-body.js';
import { TokenAnswer } from '#libs/protocol/rest/token-body.js';
import { TradesAnswer } from '#libs/protocol/rest/trade-body.js';

interface Operation extends DescribedOperation {
  path: string;
  summary: string;
  description?: string;
  query?: Type<object>;
  errors: number[];
}

/** The routes of the market-data API as its document shows them; a spec compares them with the listener's own. */
export const apiOperations: readonly Operation[] = [
  { id: 'getHealth', path: '/health', summary: 'Liveness', answer: HealthBody, open: true, errors: [] },
  { id: 'getReady', path: '/ready', summary: 'Readiness', answer: ReadyBody, open: true, errors: [] },
  { id: 'getDocument', path: '/openapi.yaml', summary: 'This document', answer: null, open: true, errors: [] },
  { id: 'getChains', path: '/chains', summary: 'Chains and their heads', answer: ChainsAnswer, errors: [401] },
  {
    id: 'getStatus',
    path: '/status',
    summary: 'How the instance is: chains, nodes, history, topics',
    description:
      'For dashboards. It always answers: what cannot be told now is null, and `trouble` says why in plain words. No address of a node and no key is in it.',
    answer: StatusAnswer,
    errors: [401],
  },
  {
    id: 'getScreener',
    path: '/screener',
    summary: 'Tokens in an order, within bounds',
    description:
      'Price, liquidity and statistics of a row are those that the token itself shows at the same block. A list is read from the state of a moment ago, which `meta` names; a cursor pins it: no row is lost or repeated from page to page. A chain that cannot be served now is left out of a list over all chains.',
    query: ScreenerQuery,
    answer: ScreenerAnswer,
    errors: [400, 401, 404, 503],
  },
  {
    id: 'searchTokens',
    path: '/search',
    summary: 'Tokens by name, symbol, address or pool',
    query: SearchQuery,
    answer: SearchAnswer,
    errors: [400, 401, 404, 503],
  },
  {
    id: 'getToken',
    path: '/tokens/:chain/:address',
    summary: 'Everything known of a token',
    query: TokenQuery,
    answer: TokenAnswer,
    errors: [400, 401, 404, 503],
  },
  {
    id: 'getTokenTrades',
    path: '/tokens/:chain/:address/trades',
    summary: 'Trades of a token, newest first',
    description:
      'The first page starts just below `to`; the page that reaches `from` has `next` null. A cursor pins its view: blocks that arrive and blocks that are retracted meanwhile neither lose nor repeat a row.',
    query: TradesQuery,
    answer: TradesAnswer,
    errors: [400, 401, 404, 503],
  },
  {
    id: 'getTokenCandles',
    path: '/tokens/:chain/:address/candles',
    summary: 'Candles of a token, ascending',
    description:
      'The newest `limit` candles below `to`; `next` walks back. Prices move only by counted trades: of a pool that may set the price, not ten times away from the pool’s spot after it, and worth at least 0.01 USD. Volumes count all trades.',
    query: CandlesQuery,
    answer: CandlesAnswer,
    errors: [400, 401, 404, 503],
  },
];

const ERRORS: Record<number, string> = {
  400: '`bad_request`: a parameter is missing or wrong; the message names it and the rule.',
  401: '`unauthorized`: the key is missing or unknown.',
  404: '`not_found`: no source knows the token, or this instance does not index the chain.',
  503: '`upstream_unavailable`: the chain cannot be served now; send the same request, with the same cursor, again.',
};

/** The OpenAPI 3.1 document, as YAML, made from the payload classes. */
export const apiDocument = (): Promise<string> =>
  openApiDocument({
    title: 'Tidepool market data',
    tag: 'market data',
    description:
      'Tokens, trades and candles. Every path also answers under `/v1`. Times are Unix milliseconds; unknown values are `null`; prices and values are JSON numbers, token amounts are decimal strings in whole tokens. A chain is named by slug, alias or id, in any case. Every answer says in `meta` which block it was computed from.',
    servers: ['/', '/v1'],
    operations: apiOperations,
    decorators,
    models: [Meta],
  });

function decorators(operation: Operation): MethodDecorator[] {
  const { path, summary, description, query, answer, errors } = operation;
  const made: MethodDecorator[] = [Get(path), ApiOperation({ summary, description, operationId: operation.id })];
  if (path.includes(':chain')) {
    made.push(
      ApiParam({ name: 'chain', type: String, description: 'Slug, alias or id of the chain.', example: 'eth' }),
    );
    made.push(ApiParam({ name: 'address', type: String, description: 'Address of the token.' }));
  }
  if (query) made.push(...queryParameters(query));
  if (answer === ReadyBody) made.push(ApiResponse({ status: 503, description: 'No chain is ready.', type: ReadyBody }));
  for (const status of errors) made.push(ApiResponse({ status, description: ERRORS[status]!, type: ErrorBody }));
  return made;
}
