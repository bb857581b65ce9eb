import { Answer } from '#libs/http/answer.js';
import { Route, type RouteHandler } from '#libs/http/declared-route.js';
import { declareRoute } from '#libs/http/route-declaration.js';
import { ReadyBody } from '#libs/protocol/rest/health-body.js';
import { ChainAccess } from '../access/chain-access.js';
import { readiness } from './readiness.js';

const declaration = declareRoute({
  id: 'getReady',
  method: 'GET',
  path: '/ready',
  summary: 'Readiness',
  answer: ReadyBody,
  also: { 503: { type: ReadyBody, description: 'No chain is ready.' } },
  errors: [],
  access: 'open',
  cost: 'free',
  cache: 'none',
});

@Route(declaration)
export class ReadyRoute implements RouteHandler {
  constructor(private readonly access: ChainAccess) {}

  handle(): Answer {
    const body = readiness(this.access);
    return Answer.untagged(body, body.ready ? 200 : 503);
  }
}
