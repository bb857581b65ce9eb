import { LaunchChainsAnswer } from '#libs/serve/contract/rest/launch/launch-body.js';
import { LaunchErrorBody } from '#libs/serve/contract/rest/launch/launch-error-body.js';
import { declareRoute } from '#libs/serve/contract/route-declaration.js';
import type { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler } from '#libs/serve/http/declared-route.js';
import { uncachedJson } from '../http/uncached-json.js';
import { launchChains, launched } from './launch-chains.js';

const declaration = declareRoute({
  id: 'getLaunch',
  method: 'GET',
  path: '/launch',
  summary: 'Chains and launchpads',
  description:
    'Every chain with its launchpads: those on which tokens can be created, and those that are known and have no builder.',
  answer: LaunchChainsAnswer,
  errors: [],
  errorBody: LaunchErrorBody,
  access: 'keyed',
  cost: 'list',
  cache: 'no-store',
});

@Route(declaration)
export class ListLaunchRoute implements RouteHandler {
  handle(): Answer {
    return uncachedJson(launched({ chains: launchChains() }));
  }
}

@Route({ ...declaration, id: 'getLaunchV1', path: '/v1/launch', summary: 'Another path of /launch' })
export class ListLaunchV1Route extends ListLaunchRoute {}
