import { Inject } from '@nestjs/common';
import { HealthBody } from '#libs/serve/contract/rest/health-body.js';
import { declareRoute } from '#libs/serve/contract/route-declaration.js';
import { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler } from '#libs/serve/http/declared-route.js';
import { API_DEPS, type ApiDeps } from '../access/api-deps.js';

export const healthDeclaration = declareRoute({
  id: 'getHealth',
  method: 'GET',
  path: '/health',
  summary: 'Liveness',
  answer: HealthBody,
  errors: [],
  access: 'open',
  cost: 'free',
  cache: 'tagged',
});

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
