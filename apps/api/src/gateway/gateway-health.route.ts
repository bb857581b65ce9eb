import { Inject } from '@nestjs/common';
import { declareHealth } from '#libs/serve/contract/common-routes.js';
import { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler } from '#libs/serve/http/declared-route.js';
import { GATEWAY_DEPS, type GatewayDeps } from './gateway-deps.js';

const declaration = declareHealth('getGatewayHealth', '/health');

@Route(declaration)
export class GatewayHealthRoute implements RouteHandler {
  private readonly answer: Answer;

  constructor(@Inject(GATEWAY_DEPS) { version }: GatewayDeps) {
    this.answer = Answer.json({ status: 'ok', version });
  }

  handle(): Answer {
    return this.answer;
  }
}
