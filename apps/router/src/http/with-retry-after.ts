import type { FastifyRequest } from 'fastify';
import type { HttpLogger } from '#libs/serve/http/listener.js';
import { HttpProblem } from '#libs/serve/http/problem.js';
import type { HttpRoute } from '#libs/serve/http/routes.js';
import { asProblem } from './router-problem.js';

/**
 * Wraps a handler: its refusals become HTTP problems, every 503 says when to come back, and a 503 because of a node is
 * logged, because the caller cannot do anything about it.
 */
export function withRetryAfter(handle: HttpRoute['handle'], logger: HttpLogger): HttpRoute['handle'] {
  const refuse = (error: unknown, request: FastifyRequest): never => {
    const problem = asProblem(error);
    if (problem instanceof HttpProblem && problem.status === 503 && problem.code === 'rpc') {
      logger.warn({ requestId: request.id, route: request.routeOptions.url, reason: problem.message }, 'answered 503');
    }
    throw problem;
  };
  return (request) => {
    try {
      const answer = handle(request);
      return answer instanceof Promise ? answer.catch((error: unknown) => refuse(error, request)) : answer;
    } catch (error) {
      return refuse(error, request);
    }
  };
}
