import { Inject } from '@nestjs/common';
import { statusRoute } from '#libs/serve/contract/common-routes.js';
import { SolVenuesAnswer } from '#libs/serve/contract/rest/solana/venue-body.js';
import { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler } from '#libs/serve/http/declared-route.js';
import { SOLANA_CHAIN } from '../../tokens.js';
import type { SolanaChain } from '../ports.js';

@Route({
  ...statusRoute,
  id: 'getSolVenues',
  path: '/venues',
  summary: 'Venues of Solana and their rows in the swap program',
  description:
    'One row per venue, always all of them. Quotes and builds use those that are both buildable and servable, as the config of the deployed swap program has them now.',
  answer: SolVenuesAnswer,
})
export class SolanaVenuesRoute implements RouteHandler {
  constructor(@Inject(SOLANA_CHAIN) private readonly chain: SolanaChain) {}

  handle(): Answer {
    const { services, venues, demoRpcUrl } = this.chain;
    const demo = demoRpcUrl === null ? null : { rpcUrl: demoRpcUrl };
    return Answer.json({ venues: venues.rows(services?.deployment.state() ?? null), demo });
  }
}
