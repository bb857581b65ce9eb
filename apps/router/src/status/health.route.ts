import { Inject } from '@nestjs/common';
import { Answer } from '#libs/http/answer.js';
import { Route, type RouteHandler } from '#libs/http/declared-route.js';
import { declareRoute } from '#libs/http/route-declaration.js';
import { HealthBody } from '#libs/protocol/rest/health-body.js';
import { VERSION } from '../tokens.js';

const declaration = declareRoute({
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

@Route(declaration)
export class HealthRoute implements RouteHandler {
  private readonly answer: Answer;

  constructor(@Inject(VERSION) version: string) {
    this.answer = Answer.json({ status: 'ok', version });
  }

  handle(): Answer {
    return this.answer;
  }
}
