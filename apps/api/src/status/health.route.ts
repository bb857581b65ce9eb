import { Inject } from '@nestjs/common';
import { declareHealth } from '#libs/serve/contract/common-routes.js';
import { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler } from '#libs/serve/http/declared-route.js';
import { API_DEPS, type ApiDeps } from '../access/api-deps.js';

export const healthDeclaration = declareHealth('getHealth', '/health');

@Route(healthDeclaration)
export class HealthRoute implements RouteHandler {
  private readonly answer: Answer;

  constructor(@Inject(API_DEPS) { version }: ApiDeps) {
    this.answer = Answer.json({ status: 'ok', version });
  }

  handle(): Answer {
    return this.answer;
  }
}
