import type { Accounts } from '#libs/accounts/account.js';
import { Answer, etagOf } from '#libs/http/answer.js';
import { createListener, type HttpLogger } from '#libs/http/listener.js';
import type { HttpRoute } from '#libs/http/routes.js';
import { evmRoutes } from './evm/http/evm-routes.js';
import type { EvmChain, ReceiptBook } from './evm/ports.js';
import { reasonsOf } from './evm/readiness.js';
import type { HeldQuotes } from './held/held-quotes.js';
import { requestTimeout, routerErrorBody } from './http/router-problem.js';
import { readyAnswer } from './http/uncached-json.js';
import { routerDocument } from './openapi/router-document.js';

export interface RouterDeps {
  config: {
    bind: string;
    port: number;
    trustProxy?: boolean | number | string[];
    /** When a request is cut; 10 s. */
    requestTimeoutMs?: number;
  };
  /** null: a self-hosted router without accounts has no keys. */
  accounts: Accounts | null;
  logger: HttpLogger;
  version: string;
  /** Every EVM chain, in the order in which lists show them, with or without a node. */
  chains: readonly EvmChain[];
  held: HeldQuotes;
  receipts?: ReceiptBook;
  /** More routes of the same listener; the router's document describes them too. */
  routes?: readonly HttpRoute[];
  /** Unix ms. */
  now?: () => number;
}

export interface RunningRouter {
  readonly url: string;
  close(): Promise<void>;
}

/** The base listener of the router. */
export async function createRouter(deps: RouterDeps): Promise<RunningRouter> {
  const { chains, held, logger, now = Date.now } = deps;
  const health = Answer.json({ status: 'ok', version: deps.version });
  const contract = Buffer.from(routerDocument(), 'utf8');
  const document = new Answer(contract, 'application/yaml; charset=utf-8', etagOf(contract));
  const open = (path: string, handle: HttpRoute['handle']): HttpRoute => ({ method: 'GET', path, open: true, handle });
  return createListener({
    routes: [
      open('/health', () => health),
      open('/ready', () => readyAnswer(readinessOf(chains, now()))),
      open('/openapi.yaml', () => document),
      ...evmRoutes({
        ...{ chains, held, logger, health, now, receipts: deps.receipts ?? null },
        requestTimeoutMs: deps.config.requestTimeoutMs,
      }),
      ...(deps.routes ?? []),
    ],
    errorBody: routerErrorBody,
    timeout: requestTimeout,
    accounts: deps.accounts,
    host: deps.config.bind,
    port: deps.config.port,
    trustProxy: deps.config.trustProxy,
    logger,
  });
}

/** Of the listener as a whole, as every listener of the program tells it. */
function readinessOf(chains: readonly EvmChain[], now: number) {
  const reasons = chains.map((chain) => reasonsOf(chain, now));
  const ready = reasons.some((list) => list.length === 0);
  const all = reasons.flat();
  return { ready, reasons: ready ? [] : all, warnings: ready ? all : [] };
}
