import { Inject } from '@nestjs/common';
import { ROUTER_URL, VERSION } from '#libs/app/modules/tokens.js';
import { StatusAnswer } from '#libs/serve/contract/rest/status-body.js';
import { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler } from '#libs/serve/http/declared-route.js';
import { ChainAccess } from '../access/chain-access.js';
import { IngestFollower } from './ingest-follower.js';
import { statusAnswer } from './status-answer.js';

@Route({
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
})
export class StatusRoute implements RouteHandler {
  private readonly startedAt = Date.now();

  constructor(
    private readonly access: ChainAccess,
    private readonly ingest: IngestFollower,
    @Inject(VERSION) private readonly version: string,
    @Inject(ROUTER_URL) private readonly routerUrl: () => string | null,
  ) {}

  async handle(): Promise<Answer> {
    const { access, ingest, startedAt, version, routerUrl } = this;
    return Answer.untagged(await statusAnswer({ access, ingest, version, startedAt, routerUrl }));
  }
}
