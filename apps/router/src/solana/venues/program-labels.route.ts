import { Inject } from '@nestjs/common';
import { statusRoute } from '#libs/serve/contract/common-routes.js';
import { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler } from '#libs/serve/http/declared-route.js';
import { SOLANA_CHAIN } from '../../tokens.js';
import type { SolanaChain } from '../ports.js';

@Route({
  ...statusRoute,
  id: 'getProgramLabels',
  path: '/program-id-to-label',
  summary: 'Labels of venues by the address of their program',
  answer: {
    mediaType: 'application/json',
    description: 'An object with an address and a label for every row of the venue list.',
    schema: { type: 'object', additionalProperties: { type: 'string' } },
    example: { TidepooLAmm11111111111111111111111111111111: 'Tidepool AMM' },
  },
})
export class ProgramLabelsRoute implements RouteHandler {
  private readonly answer: Answer;

  constructor(@Inject(SOLANA_CHAIN) { venues }: SolanaChain) {
    this.answer = Answer.json(venues.labels());
  }

  handle(): Answer {
    return this.answer;
  }
}
