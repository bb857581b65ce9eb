import { Inject } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { buildRoute } from '#libs/serve/contract/common-routes.js';
import { LaunchCreatedAnswer, LaunchPath } from '#libs/serve/contract/rest/launch/launch-body.js';
import { LaunchErrorBody } from '#libs/serve/contract/rest/launch/launch-error-body.js';
import { LaunchRequest } from '#libs/serve/contract/rest/launch/launch-request.js';
import { declareRoute } from '#libs/serve/contract/route-declaration.js';
import type { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler, type RouteInput } from '#libs/serve/http/declared-route.js';
import { jsonObjectBody } from '#libs/serve/http/json-body.js';
import { passOf } from '#libs/serve/http/pass.js';
import type { RequestDeadline } from '../http/request-deadline.js';
import { uncachedJson } from '../http/uncached-json.js';
import { REQUEST_DEADLINE } from '../tokens.js';
import { launchChainOf, launched } from './launch-chains.js';
import { createErrors } from './launch-errors.js';
import { LaunchService } from './launch-service.js';

const declaration = declareRoute({
  ...buildRoute,
  id: 'createLaunch',
  path: '/launch/:chain',
  summary: 'Build the creation of a token',
  description:
    'Unsigned transactions that create a token on a launchpad and buy the first of it, simulated at the head of the node that `rpcUrl` names, with the creator’s own state: sign them with the keys of all `signers` and send them from your own node. The metadata are kept and served before the answer. A client may create 10 tokens a minute; a create counts once its fields are right. The body is read as JSON whatever its content type, at most 262,144 bytes. The request is cut after 10 seconds.',
  parameters: LaunchPath,
  body: [LaunchRequest],
  answer: LaunchCreatedAnswer,
  errors: createErrors,
  errorBody: LaunchErrorBody,
});

@Route(declaration)
export class CreateLaunchRoute implements RouteHandler<LaunchPath> {
  constructor(
    private readonly launches: LaunchService,
    @Inject(REQUEST_DEADLINE) private readonly deadline: RequestDeadline,
  ) {}

  async handle({ path }: RouteInput<LaunchPath, object>, request: FastifyRequest): Promise<Answer> {
    const chain = launchChainOf(path.chain);
    const body = jsonObjectBody(request);
    const client = passOf(request.raw)?.caller.account.id ?? request.ip;
    const created = await this.deadline.abortAfter((signal) => this.launches.create(chain, body, client, signal));
    return uncachedJson(launched(created));
  }
}

@Route({
  ...declaration,
  ...{ id: 'createLaunchV1', path: '/v1/launch/:chain', summary: 'Another path of /launch/{chain}' },
})
export class CreateLaunchV1Route extends CreateLaunchRoute {}
