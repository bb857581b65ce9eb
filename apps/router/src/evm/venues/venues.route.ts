import { Inject } from '@nestjs/common';
import { statusRoute } from '#libs/serve/contract/common-routes.js';
import { EvmVenuesAnswer } from '#libs/serve/contract/rest/evm/venue-body.js';
import { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler } from '#libs/serve/http/declared-route.js';
import { EVM_CHAINS } from '../../tokens.js';
import type { EvmChain } from '../ports.js';
import { venuesAnswer } from './lists.js';

@Route({
  ...statusRoute,
  id: 'getEvmVenues',
  path: '/evm/venues',
  summary: 'Venues and what was found of their contracts',
  description: 'One row per venue and chain, always all of them. Only servable ones are quoted.',
  answer: EvmVenuesAnswer,
})
export class VenuesRoute implements RouteHandler {
  constructor(@Inject(EVM_CHAINS) private readonly chains: readonly EvmChain[]) {}

  handle(): Answer {
    return Answer.json(venuesAnswer(this.chains));
  }
}
