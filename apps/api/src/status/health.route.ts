import { Inject } from '@nestjs/common';
import { VERSION } from '#libs/app/modules/tokens.js';
import { HealthBody } from '#libs/serve/contract/rest/health-body.js';
import { declareRoute } from '#libs/serve/contract/route-declaration.js';
import { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler } from '#libs/serve/http/declared-route.js';

const healthDeclaration = declareRoute({
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

  constructor(@Inject(VERSION) version: string) {
    this.answer = Answer.json({ status: 'ok', version });
  }

  handle(): Answer {
    return this.answer;
  }
}
