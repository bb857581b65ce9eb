import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Caller } from '#libs/serve/accounts/account.js';
import { badRequest, type HttpProblem } from '#libs/serve/http/problem.js';
import type { UpgradeRoute } from '#libs/serve/http/upgrades.js';
import { type Capacity, serverBusy } from '../capacity.js';
import type { TransportCounters } from '../transport-counters.js';
import type { SocketIoServer } from './socket-io-server.js';

/** The way of one listener into the server of socket.io. engine.io sees a connection once key, rate, credits and capacity are checked. */
export class SocketIoTransport implements UpgradeRoute {
  readonly paths = ['/socket.io/', '/v1/socket.io/'];

  constructor(
    private readonly server: SocketIoServer,
    private readonly capacity: Capacity,
    private readonly counters: TransportCounters,
  ) {}

  get ready(): boolean {
    return !this.server.closing && this.capacity.free;
  }

  /** What engine.io would refuse in words of its own. */
  problemOf({ url }: IncomingMessage): HttpProblem | null {
    const query = new URLSearchParams(url!.split('?')[1]);
    if (query.get('EIO') !== '4') return badRequest('EIO must be 4: use a client of socket.io 3 or 4');
    if (query.get('transport') === 'websocket' && !query.has('sid')) return null;
    return badRequest("transport must be websocket: give the client the option transports: ['websocket']");
  }

  refusal(): HttpProblem {
    if (this.server.closing) return serverBusy('this instance stops: connect again');
    this.counters.busy++;
    return this.capacity.refusal();
  }

  accept(request: IncomingMessage, stream: Duplex, head: Buffer, caller: Caller | null): void {
    stream.once('close', this.capacity.take());
    stream.on('error', () => stream.destroy());
    this.server.accept(request, stream, head, caller);
  }
}
