import { LaunchChainAnswer, LaunchPath } from '#libs/serve/contract/rest/launch/launch-body.js';
import { LaunchErrorBody } from '#libs/serve/contract/rest/launch/launch-error-body.js';
import { declareRoute } from '#libs/serve/contract/route-declaration.js';
import type { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler, type RouteInput } from '#libs/serve/http/declared-route.js';
import { uncachedJson } from '../http/uncached-json.js';
import { launchChain, launchChainOf, launched } from './launch-chains.js';
import { unknownChain } from './launch-errors.js';

const declaration = declareRoute({
  id: 'getLaunchChain',
  method: 'GET',
  path: '/launch/:chain',
  summary: 'Launchpads of one chain',
  parameters: LaunchPath,
  answer: LaunchChainAnswer,
  errors: [unknownChain],
  errorBody: LaunchErrorBody,
  access: 'keyed',
  cost: 'read',
  cache: 'no-store',
});

@Route(declaration)
export class ChainLaunchRoute implements RouteHandler<LaunchPath> {
  handle({ path }: RouteInput<LaunchPath, object>): Answer {
    return uncachedJson(launched(launchChain(launchChainOf(path.chain))));
  }
}

@Route({
  ...declaration,
  ...{ id: 'getLaunchChainV1', path: '/v1/launch/:chain', summary: 'Another path of /launch/{chain}' },
})
export class ChainLaunchV1Route extends ChainLaunchRoute {}
