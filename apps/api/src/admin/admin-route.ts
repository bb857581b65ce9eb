import type { FastifyRequest } from 'fastify';
import { declareRoute, type RouteDeclaration } from '#libs/serve/contract/route-declaration.js';
import { Answer } from '#libs/serve/http/answer.js';
import { type RouteInput, routeOf } from '#libs/serve/http/declared-route.js';
import type { HttpRoute } from '#libs/serve/http/routes.js';
import type { AdminAccounts } from './admin-accounts.js';
import { BodyFields } from './body-fields.js';

/** One route of the admin API, and how it is served over the accounts. */
export interface AdminRoute {
  readonly declaration: RouteDeclaration;
  over(accounts: AdminAccounts): HttpRoute;
}

type Declared<Path extends object, Query extends object> = Omit<
  RouteDeclaration<Path, Query>,
  'access' | 'cost' | 'cache' | 'readsItself'
>;

/** A route that asks for the admin key, costs nothing, and answers what `work` gives as `data`. */
export function adminRoute<Path extends object = object, Query extends object = object>(
  declared: Declared<Path, Query>,
  work: (accounts: AdminAccounts, input: RouteInput<Path, Query>, request: FastifyRequest) => Promise<unknown>,
): AdminRoute {
  const declaration = declareRoute<Path, Query>({
    ...{ ...declared, access: 'keyed', cost: 'free', cache: 'no-store' },
    ...(declared.body && { readsItself: true }),
  });
  return {
    declaration: declaration as RouteDeclaration,
    over: (accounts) =>
      routeOf(declaration, async (input, request) => Answer.untagged({ data: await work(accounts, input, request) })),
  };
}

/** The fields of a body, each read by its rule, once all are known to be there. */
export function fieldsOf<Fields>(
  request: FastifyRequest,
  read: (fields: BodyFields) => Fields,
  mayBeEmpty = false,
): Fields {
  const fields = new BodyFields(request, mayBeEmpty);
  const found = read(fields);
  fields.end();
  return found;
}
