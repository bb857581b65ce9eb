import { Inject } from '@nestjs/common';
import type { Clock } from '#libs/app/modules/clock.js';
import { CLOCK } from '#libs/app/modules/tokens.js';
import { EvmReadyBody } from '#libs/serve/contract/rest/evm/ready-body.js';
import type { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler } from '#libs/serve/http/declared-route.js';
import { readyAnswer } from '../../http/uncached-json.js';
import { EVM_CHAINS } from '../../tokens.js';
import type { EvmChain } from '../ports.js';
import { evmReadiness } from '../readiness.js';

@Route({
  id: 'getEvmReady',
  method: 'GET',
  path: '/evm/ready',
  summary: 'Which chains can trade',
  description: '200 when at least one chain can trade, else 503, with the same body.',
  answer: EvmReadyBody,
  also: { 503: { type: EvmReadyBody, description: 'No chain can trade.' } },
  errors: [],
  access: 'open',
  cost: 'free',
  cache: 'no-store',
})
export class EvmReadyRoute implements RouteHandler {
  constructor(
    @Inject(EVM_CHAINS) private readonly chains: readonly EvmChain[],
    @Inject(CLOCK) private readonly now: Clock,
  ) {}

  handle(): Answer {
    return readyAnswer(evmReadiness(this.chains, this.now()));
  }
}
