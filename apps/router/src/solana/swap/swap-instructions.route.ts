import type { FastifyRequest } from 'fastify';
import { buildRoute } from '#libs/serve/contract/common-routes.js';
import { SolSwapInstructionsAnswer } from '#libs/serve/contract/rest/solana/swap-body.js';
import { SolSwapRequest } from '#libs/serve/contract/rest/solana/swap-request.js';
import type { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler } from '#libs/serve/http/declared-route.js';
import { buildErrors } from '../solana-errors.js';
import { instructionsText } from './swap-answers.js';
import { SolanaSwapBuilds } from './swap-builds.js';

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
