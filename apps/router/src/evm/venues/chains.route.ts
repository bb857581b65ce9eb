import { Inject } from '@nestjs/common';
import { statusRoute } from '#libs/serve/contract/common-routes.js';
import { EvmChainsAnswer } from '#libs/serve/contract/rest/evm/chain-body.js';
import { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler } from '#libs/serve/http/declared-route.js';
import { EVM_CHAINS } from '../../tokens.js';
import type { EvmChain } from '../ports.js';
import { chainsAnswer } from './lists.js';

@Route({
  ...statusRoute,
  id: 'getEvmChains',
  path: '/evm/chains',
  summary: 'Chains, their policy and venues',
  answer: EvmChainsAnswer,
})
export class ChainsRoute implements RouteHandler {
  constructor(@Inject(EVM_CHAINS) private readonly chains: readonly EvmChain[]) {}

  handle(): Answer {
    return Answer.json(chainsAnswer(this.chains));
  }
}
