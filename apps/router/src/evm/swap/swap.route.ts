import { Inject } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { buildRoute } from '#libs/serve/contract/common-routes.js';
import { EvmSwapAnswer } from '#libs/serve/contract/rest/evm/swap-body.js';
import { EvmSwapOfParameters, EvmSwapOfQuote } from '#libs/serve/contract/rest/evm/swap-request.js';
import { declareRoute } from '#libs/serve/contract/route-declaration.js';
import type { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler } from '#libs/serve/http/declared-route.js';
import { jsonObjectBody } from '#libs/serve/http/json-body.js';
import { accountOf } from '../../http/account-of.js';
import type { RequestDeadline } from '../../http/request-deadline.js';
import {
  feeOnTransfer,
  insufficientFunds,
  lowLiquidity,
  noRoute,
  notTransferable,
  quoteExpired,
  quoteMismatch,
  quoteMoved,
  refusedParameters,
  routerNotReadyError,
  rpc,
  simulationFailedError,
} from '../../http/router-errors.js';
import { uncachedJson } from '../../http/uncached-json.js';
import { REQUEST_DEADLINE } from '../../tokens.js';
import { SwapService } from './swap-service.js';

const swap = declareRoute({
  ...buildRoute,
  id: 'buildEvmSwap',
  path: '/evm/swap',
  summary: 'Build unsigned transactions',
  description:
    'Unsigned transactions, to be signed and sent in order from your own node: approvals, then the swap. They are simulated together at the head. A build does not use its quote up. The request is cut after 10 seconds.',
  body: [EvmSwapOfQuote, EvmSwapOfParameters],
  answer: EvmSwapAnswer,
  errors: [
    ...[...refusedParameters, quoteMismatch, noRoute, quoteExpired, simulationFailedError, quoteMoved, lowLiquidity],
    ...[insufficientFunds, feeOnTransfer, notTransferable, routerNotReadyError, rpc],
  ],
});

@Route(swap)
export class SwapRoute implements RouteHandler {
  constructor(
    private readonly swaps: SwapService,
    @Inject(REQUEST_DEADLINE) private readonly deadline: RequestDeadline,
  ) {}

  async handle(_input: unknown, request: FastifyRequest): Promise<Answer> {
    const startedAt = performance.now();
    const body = jsonObjectBody(request);
    const account = accountOf(request);
    const answer = await this.deadline.abortAfter((signal) => this.swaps.build(body, account, startedAt, signal));
    return uncachedJson(JSON.stringify(answer));
  }
}

@Route({
  ...swap,
  id: 'buildEvmSwapInstructions',
  path: '/evm/swap-instructions',
  summary: 'Another path of /evm/swap',
})
export class SwapInstructionsRoute extends SwapRoute {}
