import { Inject } from '@nestjs/common';
import { VERSION } from '#libs/app/modules/tokens.js';
import { declareHealth } from '#libs/serve/contract/common-routes.js';
import { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler } from '#libs/serve/http/declared-route.js';

const declaration = declareHealth('getGatewayHealth', '/health');

@Route(declaration)
export class GatewayHealthRoute implements RouteHandler {
  private readonly answer: Answer;

  constructor(@Inject(VERSION) version: string) {
    this.answer = Answer.json({ status: 'ok', version });
  }

  handle(): Answer {
    return this.answer;
  }
}
