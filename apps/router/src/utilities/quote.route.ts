import { Inject } from '@nestjs/common';
import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import { LegacyQuoteAnswer, MintPath } from '#libs/serve/contract/rest/solana/utilities-body.js';
import { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler, type RouteInput } from '#libs/serve/http/declared-route.js';
import { badRequest as refused } from '#libs/serve/http/problem.js';
import { hostBadRequestError, hostNotReadyError, requestCut, upstreamUnavailable } from '../hosts/host-errors.js';
import type { RequestDeadline } from '../http/request-deadline.js';
import { REQUEST_DEADLINE } from '../tokens.js';
import { LEGACY } from './legacy-paths.js';
import { SolanaUtilities } from './solana-utilities.js';

@Route({
  id: 'getSolQuote',
  method: 'GET',
  path: `${LEGACY}/quote/:mint`,
  summary: 'Price of a token in SOL',
  description: 'The price of the deepest pool against SOL that sets prices, at the newest indexed slot.',
  parameters: MintPath,
  answer: LegacyQuoteAnswer,
  errors: [
    hostBadRequestError,
    {
      status: 404,
      code: 'not_found',
      meaning: 'no pool of the token against SOL is known.',
      example: 'no pool of EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v against SOL is known',
    },
    hostNotReadyError,
    upstreamUnavailable,
    requestCut,
  ],
  access: 'keyed',
  cost: 'quote',
  cache: 'no-store',
})
export class SolQuoteRoute implements RouteHandler<MintPath> {
  constructor(
    private readonly utilities: SolanaUtilities,
    @Inject(REQUEST_DEADLINE) private readonly deadline: RequestDeadline,
  ) {}

  async handle({ path }: RouteInput<MintPath, object>): Promise<Answer> {
    const mint = solanaIds.parseAddress(path.mint);
    if (mint === null) throw refused('mint must be a Solana address: base58 of 32 bytes');
    const quote = await this.deadline.abortAfter((signal) => this.utilities.quote(mint, signal));
    return Answer.untagged({ success: true, quote });
  }
}
