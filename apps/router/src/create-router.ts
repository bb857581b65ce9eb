import type { Accounts } from '#libs/accounts/account.js';
import { Answer } from '#libs/http/answer.js';
import { createListener, type HttpLogger } from '#libs/http/listener.js';
import type { HttpProblem } from '#libs/http/problem.js';
import type { HttpRoute } from '#libs/http/routes.js';
import { RouterModule } from './router.module.js';

export interface RouterDeps {
  config: { bind: string; port: number; trustProxy?: boolean | number | string[] };
  /** null: a self-hosted router without accounts has no keys. */
  accounts: Accounts | null;
  logger: HttpLogger;
  version: string;
}

export interface RunningRouter {
  readonly url: string;
  close(): Promise<void>;
}

/** The base listener of the router. The quote and launch routes are not built yet; their paths answer 404. */
export async function createRouter(deps: RouterDeps): Promise<RunningRouter> {
  const health = Answer.json({ status: 'ok', version: deps.version });
  const routes: HttpRoute[] = ['/health', '/evm/health'].map((path) => ({
    method: 'GET',
    path,
    open: true,
    handle: () => health,
  }));
  return createListener({
    module: RouterModule,
    routes,
    errorBody: routerErrorBody,
    accounts: deps.accounts,
    host: deps.config.bind,
    port: deps.config.port,
    trustProxy: deps.config.trustProxy,
    logger: deps.logger,
  });
}

/** `{error, reason}`; key and limit errors have the body of the market-data API. */
export function routerErrorBody(problem: HttpProblem): unknown {
  if (problem.status === 401 || problem.status === 429) {
    return { error: { code: problem.code, message: problem.message } };
  }
  return { error: problem.code, reason: problem.message };
}
