import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { KeyScope } from '#libs/protocol/accounts/account-record.js';
import type { Caller } from '#libs/serve/accounts/account.js';
import { type Access, keepRefusal } from './key-check.js';
import { passOf } from './pass.js';
import { HttpProblem, hostMissing } from './problem.js';
import type { HttpRoute } from './routes.js';

/** Paths at which a request becomes a WebSocket. */
export interface UpgradeRoute {
  readonly paths: readonly string[];
  /** Whether an upgrade can be had now. */
  readonly ready: boolean;
  /** What is wrong with a request beyond the handshake, looked at before its key. */
  problemOf?(request: IncomingMessage): HttpProblem | null;
  /** Why not. Asked once for each request that is refused. */
  refusal(): HttpProblem;
  /** Takes the connection over. `caller` has paid the first minute; null on a listener without keys. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer, caller: Caller | null): void;
}

/** Under this name upgrades and the minutes of their sockets are counted. */
export const SOCKET_ROUTE = 'webSocket';

const VERSION = '13';
const HANDSHAKE_KEY = /^[A-Za-z0-9+/]{22}==$/;
const REFUSAL_MS = 10_000;

/** Why a request at the path of an upgrade did not become a socket. */
export const refuseUpgrade = (upgrade: UpgradeRoute, request: IncomingMessage): HttpProblem =>
  upgrade.problemOf?.(request) ?? problemOf(request) ?? upgrade.refusal();

/**
 * The same paths as ordinary routes: what every refused upgrade is answered by, and every request that asks for none.
 * Paths that have a declared route already are left to it.
 */
export function refusalRoutes(upgrades: readonly UpgradeRoute[], declared: ReadonlySet<string>): HttpRoute[] {
  return upgrades.flatMap((upgrade) =>
    upgrade.paths.flatMap((path): HttpRoute[] => {
      if (declared.has(path)) return [];
      const handle: HttpRoute['handle'] = (request) => {
        throw refuseUpgrade(upgrade, request.raw);
      };
      return [{ method: 'GET', path, open: false, cost: 'stream', handle }];
    }),
  );
}

/**
 * Takes WebSocket upgrades on a listener's own server. Key, rate and credits are checked before anything is upgraded. Whatever is not
 * upgraded (a wrong path, key or handshake, no capacity, an upgrade to another protocol) is answered by the listener's
 * routes as the ordinary request it also is, and the connection ends after that.
 */
export function takeUpgrades(
  server: Server,
  upgrades: readonly UpgradeRoute[],
  access: (Pick<Access, 'check'> & Partial<Pick<Access, 'roomFor'>>) | null,
  scope: KeyScope,
): void {
  const rule = { scope, cost: 'stream', name: SOCKET_ROUTE } as const;
  const byPath = new Map(upgrades.flatMap((upgrade) => upgrade.paths.map((path) => [path, upgrade])));
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    const broken = (): void => void socket.destroy();
    socket.on('error', broken);
    const upgrade = byPath.get(request.url!.split('?', 1)[0]!);
    const wrong =
      upgrade === undefined || problemOf(request) !== null || (upgrade.problemOf?.(request) ?? null) !== null;
    if (wrong) return answer(server, request, socket);
    const go = (looked: HttpProblem | null): void => {
      const refusal = looked ?? access?.roomFor?.(request) ?? null;
      if (refusal !== null) keepRefusal(request, refusal);
      if (refusal !== null || !upgrade.ready) {
        answer(server, request, socket);
        return;
      }
      socket.off('error', broken);
      const pass = passOf(request);
      pass?.admission.settle(true);
      upgrade.accept(request, socket, head, pass?.caller ?? null);
    };
    if (access === null || !upgrade.ready) return go(null);
    const refusal = access.check(request, rule);
    if (refusal instanceof Promise) refusal.then(go, broken);
    else go(refusal);
  });
}

/** What is wrong with a handshake before anything else is looked at. */
function problemOf(request: IncomingMessage): HttpProblem | null {
  const { headers, method } = request;
  if (headers.host === undefined) return hostMissing();
  if (method !== 'GET' || headers.upgrade?.toLowerCase() !== 'websocket') {
    const headersOfUse = { upgrade: 'websocket', connection: 'Upgrade' };
    return new HttpProblem(426, 'bad_request', 'this path is a WebSocket: connect to it with ws or wss', headersOfUse);
  }
  if (headers['sec-websocket-version'] !== VERSION) {
    const message = `sec-websocket-version must be ${VERSION}`;
    return new HttpProblem(426, 'bad_request', message, { 'sec-websocket-version': VERSION });
  }
  if (!HANDSHAKE_KEY.test(headers['sec-websocket-key'] ?? '')) {
    return new HttpProblem(400, 'bad_request', 'sec-websocket-key must be 16 bytes in base64');
  }
  return null;
}

function answer(server: Server, request: IncomingMessage, socket: Socket): void {
  socket.setTimeout(REFUSAL_MS, () => socket.destroy());
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once('finish', () => {
    response.detachSocket(socket);
    socket.end();
  });
  server.emit('request', request, response);
}
