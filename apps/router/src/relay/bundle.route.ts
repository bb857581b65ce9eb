import { Inject } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { buildRoute } from '#libs/serve/contract/common-routes.js';
import { BundleAnswer, BundleRequest } from '#libs/serve/contract/rest/solana/bundle-body.js';
import { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler } from '#libs/serve/http/declared-route.js';
import { jsonObjectBody } from '#libs/serve/http/json-body.js';
import { hostBadRequestError, hostNotReadyError, requestCut, upstreamUnavailable } from '../hosts/host-errors.js';
import type { RequestDeadline } from '../http/request-deadline.js';
import { REQUEST_DEADLINE } from '../tokens.js';
import { BundleRelay } from './bundle-relay.js';
import { readBundle } from './read-bundle.js';

@Route({
  ...buildRoute,
  id: 'sendBundle',
  path: '/bundle',
  summary: 'Pass signed transactions on as a bundle',
  description:
    'The transactions run one right after the other in one block, or none of them does. Every signature is checked. A bundle that writes to no account that takes tips gets one more transaction, by which the relay pays the tip; it may have at most 4 of its own then. The body is read as JSON whatever its content type, at most 262,144 bytes.',
  body: [BundleRequest],
  answer: BundleAnswer,
  errors: [
    hostBadRequestError,
    {
      status: 400,
      code: 'bundle_refused',
      meaning: 'the block engine refused the bundle; the message has its words.',
      example: 'the block engine refused the bundle: bundle contains an already processed transaction',
    },
    hostNotReadyError,
    upstreamUnavailable,
    requestCut,
  ],
})
export class BundleRoute implements RouteHandler {
  constructor(
    private readonly relay: BundleRelay,
    @Inject(REQUEST_DEADLINE) private readonly deadline: RequestDeadline,
  ) {}

  async handle(_input: unknown, request: FastifyRequest): Promise<Answer> {
    const bundle = readBundle(jsonObjectBody(request));
    const id = await this.deadline.abortAfter((signal) => this.relay.send(bundle, signal));
    return Answer.untagged({ success: true, bundle_id: id });
  }
}
