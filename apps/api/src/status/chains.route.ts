import { Inject } from '@nestjs/common';
import type { ChannelDeclaration } from '#libs/serve/contract/channel-declaration.js';
import { statusRoute } from '#libs/serve/contract/common-routes.js';
import { ChainsAnswer } from '#libs/serve/contract/rest/chain-body.js';
import { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler } from '#libs/serve/http/declared-route.js';
import { DECLARED_CHANNELS } from '../access/api-parts.js';
import { ChainAccess } from '../access/chain-access.js';
import { chainsAnswer } from './chains-answer.js';

@Route({
  ...statusRoute,
  id: 'getChains',
  path: '/chains',
  summary: 'Chains and their heads',
  answer: ChainsAnswer,
})
export class ChainsRoute implements RouteHandler {
  constructor(
    private readonly access: ChainAccess,
    @Inject(DECLARED_CHANNELS) private readonly channels: readonly ChannelDeclaration[],
  ) {}

  handle(): Answer {
    return Answer.json(chainsAnswer(this.access, this.channels));
  }
}
