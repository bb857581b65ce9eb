import { Inject } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { buildRoute } from '#libs/serve/contract/common-routes.js';
import { ConsolidateAnswer, ConsolidateBody } from '#libs/serve/contract/rest/solana/utilities-body.js';
import { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler } from '#libs/serve/http/declared-route.js';
import { jsonObjectBody } from '#libs/serve/http/json-body.js';
import { hostBadRequestError, hostNotReadyError, requestCut, upstreamUnavailable } from '../hosts/host-errors.js';
import { textOfBytes } from '../hosts/solana-texts.js';
import type { RequestDeadline } from '../http/request-deadline.js';
import { REQUEST_DEADLINE } from '../tokens.js';
import { readConsolidate } from './consolidation.js';
import { LEGACY } from './legacy-paths.js';
import { SolanaUtilities } from './solana-utilities.js';

@Route({
  ...buildRoute,
  id: 'consolidate',
  path: `${LEGACY}/consolidate`,
  summary: 'Unsigned transactions that bring the coins of several wallets to one',
  description:
    'One v1 transaction a wallet, in their order, which that wallet has to sign. A wallet parts with `percentage` of its balance, rounded down; out of that come the network fee, 0.001 SOL where the operator named a wallet for it, and the tip. Tips go to an account of the block engine of the bundle relay. The body is read as JSON whatever its content type, at most 262,144 bytes.',
  body: [ConsolidateBody],
  answer: ConsolidateAnswer,
  errors: [
    hostBadRequestError,
    {
      status: 422,
      code: 'insufficient_funds',
      meaning: 'a wallet holds too little for it; the message names the wallet and the figure.',
      example: 'wallets[0] holds 5000 lamports: 100% of it does not pay fees and tip of 5000',
    },
    hostNotReadyError,
    upstreamUnavailable,
    requestCut,
  ],
})
export class ConsolidateRoute implements RouteHandler {
  constructor(
    private readonly utilities: SolanaUtilities,
    @Inject(REQUEST_DEADLINE) private readonly deadline: RequestDeadline,
  ) {}

  async handle(_input: unknown, request: FastifyRequest): Promise<Answer> {
    const asked = readConsolidate(jsonObjectBody(request));
    const made = await this.deadline.abortAfter((signal) => this.utilities.consolidate(asked, signal));
    return Answer.untagged({ success: true, transactions: made.map((bytes) => textOfBytes(bytes, asked.encoding)) });
  }
}
