// Room: what every HTTP listener does: routes, keys, limits, problems, documents. May import core, protocol,
// platform, serve/contract, serve/accounts.

import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { KeyScope } from '#libs/protocol/accounts/account-record.js';
import type { Accounts } from '#libs/serve/accounts/account.js';
import { type Answer, JSON_TYPE } from './answer.js';
import { BrokenRequests, headersTooLarge, uriTooLong } from './broken-requests.js';
import type { HttpLogger } from './http-logger.js';
import { Access, type AccessRule } from './key-check.js';
import { settleCredits } from './pass.js';
import { preflightHeaders } from './preflight.js';
import { HttpProblem, hostMissing, internalProblem, notFound, requestTimeout } from './problem.js';
import { readBody } from './request-body.js';
import {
  defaultLimits,
  MOST_HEAD_BYTES,
  type RequestClock,
  type RequestLimits,
  systemRequestClock,
} from './request-limits.js';
import { type HttpRoute, RouteTable } from './routes.js';
import { AnswerSender, commonHeaders } from './send-answer.js';
import type { StreamAnswer } from './stream-answer.js';
import { refusalRoutes, takeUpgrades, type UpgradeRoute } from './upgrades.js';

export type { HttpLogger } from './http-logger.js';

export interface ListenerOptions {
  routes: readonly HttpRoute[];
  /** Paths that are WebSockets. */
  upgrades?: readonly UpgradeRoute[];
  /** What a request to become a WebSocket is answered, on a listener that has none; without it as any other request. */
  upgradeRefusal?: HttpProblem;
  /** The error body of this host; of some paths it may be another one. */
  errorBody: (problem: HttpProblem, path: string) => unknown;
  /** null: this instance has no keys. */
  accounts: Accounts | null;
  /** Who may call keyed routes, in place of accounts. */
  guard?: Pick<Access, 'check'>;
  /** What a key must be for, to be accepted here; market data without it. */
  scope?: KeyScope;
  /** Query names that may carry the key, in order. */
  keyNames?: readonly string[];
  /** What a client is answered while the keys are not read yet. */
  keysNotRead?: () => HttpProblem;
  host: string;
  port: number;
  trustProxy?: boolean | number | string[];
  /** What a client is answered whose request does not arrive in time; 408 without it. */
  timeout?: () => HttpProblem;
  limits?: Partial<RequestLimits>;
  clock?: RequestClock;
  logger: HttpLogger;
}

export interface Listener {
  readonly url: string;
  close(): Promise<void>;
}

/** Of this process alone; a random number for every request would be one of the larger costs of a small answer. */
const PROCESS_ID = randomBytes(9).toString('base64url');
let requests = 0;
const nextRequestId = (): string => `${PROCESS_ID}-${(++requests).toString(36)}`;

const REQUEST_ID = /^[A-Za-z0-9._:-]{1,64}$/;

/**
 * Connections that may wait while the process is busy; the system has a bound of its own (net.core.somaxconn). Above it
 * a client's connection is reset or takes seconds: Node's 511 are too few for a burst.
 */
const BACKLOG = 4_096;

/**
 * One HTTP listener with the behaviour that every listener shares. Order of checks: 404 and 405, preflight, key, rate, credits,
 * then the route's own. 404, 405 and preflight ask for no key; 405 has `Allow` and an empty body; HEAD answers as GET. Whatever a
 * handler throws that is no HttpProblem becomes a 500 that is logged and leaks nothing but the request's id.
 */
export async function createListener(options: ListenerOptions): Promise<Listener> {
  const upgrades = options.upgrades ?? [];
  const declared = new Set(options.routes.map(({ path }) => path));
  const routes = [...options.routes, ...refusalRoutes(upgrades, declared)];
  const table = new RouteTable(routes);
  const limits = { ...defaultLimits, ...options.limits };
  const { timeout = requestTimeout, clock = systemRequestClock, errorBody } = options;
  const broken = new BrokenRequests({ errorBody: (problem) => errorBody(problem, '/'), timeout });
  const { accounts, scope = 'data', keyNames, keysNotRead } = options;
  const ofAccounts = accounts === null ? null : new Access({ accounts, keyNames, notReady: keysNotRead });
  const access = options.guard ?? ofAccounts;
  const rulesOf = accessRules(routes, scope);
  const fail = (request: FastifyRequest, reply: FastifyReply, error: unknown) => {
    let problem: HttpProblem;
    if (error instanceof HttpProblem) problem = error;
    else {
      problem = fromFramework(error) ?? internalProblem(request.id);
      if (problem.status >= 500) {
        options.logger.error({ err: error, requestId: request.id, route: request.routeOptions?.url }, 'request failed');
      }
    }
    reply.headers(settleCredits(commonHeaders(request), request.raw, problem.status, problem.code));
    // Fastify ends the connection after every body that was refused; one that was read to its end needs no end.
    reply.removeHeader('connection');
    sendProblem(reply, problem, errorBody(problem, pathOf(request)));
  };
  const fastify = Fastify({
    logger: false,
    // Of a number of proxies, Fastify's types know nothing.
    trustProxy: (options.trustProxy ?? false) as boolean | string[],
    // Bodies are read by readBody; the rest of what was refused is read no longer than this.
    requestTimeout: limits.headersMs + limits.bodyMs + 10_000,
    http: {
      headersTimeout: limits.headersMs,
      connectionsCheckingInterval: limits.checkMs,
      maxHeaderSize: MOST_HEAD_BYTES,
      requireHostHeader: false,
    },
    forceCloseConnections: true,
    routerOptions: { maxParamLength: 4096 },
    genReqId: (request) => {
      const given = request.headers['x-request-id'];
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : nextRequestId();
    },
    frameworkErrors: (error, request, reply) => {
      fail(request, reply, new HttpProblem(400, 'bad_request', `the path cannot be read: ${shortReason(error)}`));
    },
    clientErrorHandler: (error, socket) => broken.answer(error, socket),
  });
  fastify.removeAllContentTypeParsers();
  // Every body reaches its route as bytes.
  const rules = { limits, clock, timeout };
  fastify.addContentTypeParser('*', (_request, stream, done) => readBody(stream, rules, done));

  fastify.addHook('onRequest', (request, reply, done) => {
    broken.began(request.raw);
    const oversize = headProblem(request.raw, limits);
    if (oversize !== null) return fail(request, reply, oversize);
    if (options.upgradeRefusal !== undefined && request.headers.upgrade?.toLowerCase() === 'websocket') {
      return fail(request, reply, options.upgradeRefusal);
    }
    if (request.is404) return refuseUnrouted(request, reply, table, (problem) => fail(request, reply, problem));
    if (!isPath(request)) return fail(request, reply, notFound('no such route'));
    // Whatever the client says its body is: even a type that cannot be read.
    if (request.method === 'POST') delete request.headers['content-type'];
    const rule = access === null ? undefined : rulesOf.get(`${request.method} ${request.routeOptions.url}`);
    if (rule === undefined) return done();
    const go = (refusal: HttpProblem | null) => (refusal === null ? done() : fail(request, reply, refusal));
    const refusal = access!.check(request.raw, rule);
    if (refusal instanceof Promise) refusal.then(go, (error: unknown) => fail(request, reply, error));
    else go(refusal);
  });
  const sender = new AnswerSender(options.logger);
  for (const route of routes) addRoute(fastify, route, sender, fail);
  if (upgrades.length > 0) takeUpgrades(fastify.server, upgrades, access, scope);
  try {
    await fastify.listen({ port: options.port, host: options.host, backlog: BACKLOG });
  } catch (error) {
    await fastify.close();
    throw error;
  }
  return { url: urlOf(fastify.server.address()), close: async () => void (await fastify.close()) };
}

/** What each keyed route asks for, by method and path in Fastify's spelling. */
function accessRules(routes: readonly HttpRoute[], scope: KeyScope): ReadonlyMap<string, AccessRule> {
  const rules = new Map<string, AccessRule>();
  for (const route of routes) {
    if (route.open) continue;
    const { method, path, declaration } = route;
    const cost = declaration?.cost ?? route.cost ?? 'read';
    const rule = { scope: route.scope ?? scope, cost, name: declaration?.id ?? path };
    rules.set(`${method} ${path}`, rule);
    if (method === 'GET') rules.set(`HEAD ${path}`, rule);
  }
  return rules;
}

type Fail = (request: FastifyRequest, reply: FastifyReply, error: unknown) => void;

/**
 * What a handler throws goes to `fail` at once. Fastify gets nothing of the answer, not even a promise: it would listen
 * to the end of every response.
 */
function addRoute(fastify: FastifyInstance, route: HttpRoute, sender: AnswerSender, fail: Fail): void {
  const { cacheControl = null } = route;
  fastify.route({
    method: route.method,
    url: route.path,
    errorHandler: (error, request, reply) => fail(request, reply, error),
    handler: (request, reply) => {
      const send = (answer: Answer | StreamAnswer) => sender.send(request, reply, answer, cacheControl);
      const answer = route.handle(request);
      const sending = answer instanceof Promise ? answer.then(send) : send(answer);
      sending?.catch((error: unknown) => fail(request, reply, error));
    },
  });
}

/** Of the targets that Node lets through, one like `*status` would be routed as if it were `/status`. */
function isPath(request: FastifyRequest): boolean {
  const url = request.raw.url!;
  return url.charCodeAt(0) === SLASH || /^https?:\/\/[^/?#]*\//i.test(url);
}
const SLASH = 0x2f;

/** What is wrong with the head of a request, whatever its route. */
function headProblem(
  { url, rawHeaders, headers, httpVersionMajor, httpVersionMinor }: IncomingMessage,
  limits: RequestLimits,
) {
  if (url!.length > limits.urlBytes) return uriTooLong();
  let bytes = 0;
  for (const text of rawHeaders) bytes += text.length;
  if (bytes > limits.headerBytes) return headersTooLarge();
  return headers.host === undefined && httpVersionMajor === 1 && httpVersionMinor === 1 ? hostMissing() : null;
}

/** A path without a route for this method: preflight, 405 or 404. */
function refuseUnrouted(
  request: FastifyRequest,
  reply: FastifyReply,
  table: RouteTable,
  fail: (problem: HttpProblem) => void,
): void {
  reply.headers(commonHeaders(request));
  const path = pathOf(request);
  const methods = table.methods(path);
  const preflight = request.headers['access-control-request-method'] !== undefined;
  if (request.method === 'OPTIONS' && (methods !== null || preflight)) {
    reply.headers(preflightHeaders(request.headers));
    if (methods !== null) reply.header('allow', methods.join(', '));
    reply.code(204).send();
  } else if (methods !== null) {
    reply.header('allow', methods.join(', '));
    reply.code(405).header('content-length', '0').send();
  } else {
    fail(notFound(`no route ${request.method} ${path.slice(0, 200)}`));
  }
}

const pathOf = (request: FastifyRequest): string => request.raw.url!.split('?', 1)[0]!;

function sendProblem(reply: FastifyReply, problem: HttpProblem, body: unknown): void {
  for (const [name, value] of Object.entries(problem.headers)) reply.header(name, value);
  reply.code(problem.status).header('content-type', JSON_TYPE).send(JSON.stringify(body));
}

/** Refusals of Fastify itself. */
function fromFramework(error: unknown): HttpProblem | null {
  const status = (error as { statusCode?: unknown } | null)?.statusCode ?? 500;
  if (status === 404) return notFound('no such route');
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new HttpProblem(status, 'bad_request', shortReason(error));
  }
  return null;
}

const shortReason = (error: unknown): string =>
  (error instanceof Error ? error.message : 'malformed request').replace(/\s+/g, ' ').slice(0, 200);

function urlOf(address: { address: string; port: number; family: string } | string | null): string {
  if (address === null || typeof address === 'string') throw new Error('the listener has no TCP address');
  return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
}
