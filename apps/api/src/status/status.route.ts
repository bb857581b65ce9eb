import { Inject } from '@nestjs/common';
import { StatusAnswer } from '#libs/serve/contract/rest/status-body.js';
import { declareRoute } from '#libs/serve/contract/route-declaration.js';
import { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler } from '#libs/serve/http/declared-route.js';
import { API_DEPS, type ApiDeps } from '../access/api-deps.js';
import { ChainAccess } from '../access/chain-access.js';
import { IngestFollower } from './ingest-follower.js';
import { statusAnswer } from './status-answer.js';

const declaration = declareRoute({
  id: 'getStatus',
  method: 'GET',
  path: '/status',
  summary: 'How the instance is: chains, nodes, history, topics',
  description:
    'For dashboards. It always answers: what cannot be told now is null, and `trouble` says why in plain words. No address of a node and no key is in it.',
  answer: StatusAnswer,
  errors: [],
  access: 'keyed',
  cost: 'status',
  cache: 'no-store',
});

@Route(declaration)
export class StatusRoute implements RouteHandler {
  private readonly startedAt = Date.now();

  constructor(
    private readonly access: ChainAccess,
    private readonly ingest: IngestFollower,
    @Inject(API_DEPS) private readonly deps: ApiDeps,
  ) {}

  async handle(): Promise<Answer> {
    const { access, ingest, startedAt } = this;
    const { version, routerUrl } = this.deps;
    return Answer.untagged(await statusAnswer({ access, ingest, version, startedAt, routerUrl }));
  }
}
