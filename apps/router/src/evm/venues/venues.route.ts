import { Inject } from '@nestjs/common';
import { EvmVenuesAnswer } from '#libs/serve/contract/rest/evm/venue-body.js';
import { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler } from '#libs/serve/http/declared-route.js';
import { EVM_CHAINS } from '../../tokens.js';
import type { EvmChain } from '../ports.js';
import { venuesAnswer } from './lists.js';

@Route({
  id: 'getEvmVenues',
  method: 'GET',
  path: '/evm/venues',
  summary: 'Venues and what was found of their contracts',
  description: 'One row per venue and chain, always all of them. Only servable ones are quoted.',
  answer: EvmVenuesAnswer,
  errors: [],
  access: 'keyed',
  cost: 'status',
  cache: 'tagged',
})
export class VenuesRoute implements RouteHandler {
  constructor(@Inject(EVM_CHAINS) private readonly chains: readonly EvmChain[]) {}

  handle(): Answer {
    return Answer.json(venuesAnswer(this.chains));
  }
}
