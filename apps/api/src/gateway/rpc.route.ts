import type { FastifyRequest } from 'fastify';
import { chainManifests } from '#libs/chain/chains/registry.js';
import { largeBody } from '#libs/serve/contract/listener-errors.js';
import { RpcCallBody, RpcChainPath, RpcReplyBody } from '#libs/serve/contract/rest/rpc-body.js';
import type { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler, type RouteInput } from '#libs/serve/http/declared-route.js';
import { passOf } from '#libs/serve/http/pass.js';
import { badRequestError, unknownChain } from '../access/api-errors.js';
import { RpcGateway } from './gateway.js';
import { listMethods } from './method-cost.js';

/** The chain at `/`: clients of Solana know no paths. */
const rootChain = chainManifests.all.find(({ family }) => family === 'solana')!.slug;

const description =
  'JSON-RPC 2.0: one call, or a list of 1 to 100, which costs what its calls do, in the rate as well. A call costs `x-credits.request`, one of a method in `x-credits.methods` what is said there. Errors of JSON-RPC come with HTTP 200; the statuses below are for what is no question to the gateway. A request of notifications alone is answered 204. Reads and the sending of signed transactions are passed on to the nodes of the chain; methods that control or inspect a node, sign or subscribe are not. The body is read as JSON whatever its content type, at most 262,144 bytes.';

const common = {
  method: 'POST',
  description,
  body: [RpcCallBody],
  answer: RpcReplyBody,
  also: { 204: { type: null, description: 'Only notifications were sent.' } },
  access: 'keyed',
  cost: 'read',
  cache: 'no-store',
} as const;

@Route({
  ...common,
  id: 'callSolana',
  path: '/',
  summary: 'JSON-RPC of Solana, and DAS',
  callCosts: { list: [...listMethods.solana] },
  errors: [unknownChain, largeBody],
})
export class RootRpcRoute implements RouteHandler {
  constructor(private readonly gateway: RpcGateway) {}

  handle(_input: unknown, { body, id, raw }: FastifyRequest): Promise<Answer> {
    return this.gateway.answer(rootChain, body, id, passOf(raw)?.takeCalls);
  }
}

@Route({
  ...common,
  id: 'callChain',
  path: '/:chain',
  summary: 'JSON-RPC of any chain, and DAS',
  callCosts: { list: [...new Set([...listMethods.evm, ...listMethods.solana])] },
  parameters: RpcChainPath,
  errors: [badRequestError, unknownChain, largeBody],
})
export class ChainRpcRoute implements RouteHandler<RpcChainPath> {
  constructor(private readonly gateway: RpcGateway) {}

  handle({ path }: RouteInput<RpcChainPath, object>, { body, id, raw }: FastifyRequest): Promise<Answer> {
    return this.gateway.answer(path.chain, body, id, passOf(raw)?.takeCalls);
  }
}
