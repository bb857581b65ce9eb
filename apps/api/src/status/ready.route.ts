import { ReadyBody } from '#libs/serve/contract/rest/health-body.js';
import { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler } from '#libs/serve/http/declared-route.js';
import { ChainAccess } from '../access/chain-access.js';
import { apiReadiness } from './readiness.js';

@Route({
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
})
export class ReadyRoute implements RouteHandler {
  constructor(private readonly access: ChainAccess) {}

  handle(): Answer {
    const body = apiReadiness(this.access);
    return Answer.untagged(body, body.ready ? 200 : 503);
  }
}
