import type { FastifyRequest } from 'fastify';
import { buildRoute } from '#libs/serve/contract/common-routes.js';
import { SolSwapAnswer, SolSwapInstructionsAnswer } from '#libs/serve/contract/rest/solana/swap-body.js';
import { SolSwapRequest } from '#libs/serve/contract/rest/solana/swap-request.js';
import type { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler } from '#libs/serve/http/declared-route.js';
import { buildErrors } from '../solana-errors.js';
import { instructionsText, swapText } from './swap-answers.js';
import { SolanaSwapBuilds } from './swap-builds.js';

@Route({
  ...buildRoute,
  id: 'buildSolSwap',
  path: '/swap',
  summary: 'Build an unsigned transaction',
  description:
    'One unsigned v1 transaction, simulated at the head with the wallet’s own state: sign it and send it from your own node. Compute units, loaded bytes and priority fee are limited in its header. A build does not use its quote up; while the swap program is paused every build is 503. The request is cut after 10 seconds.',
  body: [SolSwapRequest],
  answer: SolSwapAnswer,
  errors: buildErrors,
})
export class SolanaSwapRoute implements RouteHandler {
  constructor(private readonly builds: SolanaSwapBuilds) {}

  handle(_input: unknown, request: FastifyRequest): Promise<Answer> {
    return this.builds.answer(request, swapText);
  }
}

@Route({
  ...buildRoute,
  id: 'buildSolSwapInstructions',
  path: '/swap-instructions',
  summary: 'Build the instructions of a swap',
  description:
    'What POST /swap puts into its transaction, as instructions, with the limits for its header and what it costs.',
  body: [SolSwapRequest],
  answer: SolSwapInstructionsAnswer,
  errors: buildErrors,
})
export class SolanaSwapInstructionsRoute implements RouteHandler {
  constructor(private readonly builds: SolanaSwapBuilds) {}

  handle(_input: unknown, request: FastifyRequest): Promise<Answer> {
    return this.builds.answer(request, instructionsText);
  }
}
