import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import type { Socket } from 'socket.io';
import type { WebSocket } from 'ws';
import type { StreamEnd } from '#libs/serve/accounts/account.js';
import type { LiveConnection } from '#libs/serve/live/live-connection.js';
import { endCodes, endWords } from '../close-codes.js';
import type { TransportDeps } from '../transport-deps.js';
import type { Gateway } from './gateway-adapter.js';
import { NAMESPACE, PacketFrames } from './packet-frames.js';
import { PacketOutlet } from './packet-outlet.js';

/** The connection of a client, as the transport hands it over. */
export interface Arrival {
  readonly socket: WebSocket;
  /** How it ends with its key or its credits; the transport pays for it since the upgrade. */
  onEnd(end: (why: StreamEnd) => void): void;
}

/** The live interface as a namespace: the operations are events, each answer and each frame is an event `frame`. */
@WebSocketGateway({ namespace: NAMESPACE })
export class LiveGateway implements Gateway {
  private readonly frames = new PacketFrames();
  private readonly connections = new WeakMap<Socket, LiveConnection>();
  private readonly ends = new WeakMap<Socket, () => void>();

  constructor(
    private readonly arrivalOf: (client: Socket) => Arrival,
    private readonly deps: TransportDeps,
  ) {}

  handleConnection(client: Socket): void {
    const { hub, counters } = this.deps;
    const arrival = this.arrivalOf(client);
    const outlet = new PacketOutlet(client, arrival.socket, this.frames, counters);
    const connection = hub.connect(outlet);
    outlet.onDrained = () => connection.drained();
    this.connections.set(client, connection);
    arrival.onEnd((why) => outlet.end(endCodes[why], endWords[why]));
    this.ends.set(client, () => {
      arrival.onEnd(() => arrival.socket.terminate());
      connection.close();
    });
  }

  handleDisconnect(client: Socket): void {
    this.ends.get(client)?.();
  }

  @SubscribeMessage('subscribe')
  subscribe(client: Socket, message: unknown): void {
    this.operate(client, 'subscribe', message);
  }

  @SubscribeMessage('unsubscribe')
  unsubscribe(client: Socket, message: unknown): void {
    this.operate(client, 'unsubscribe', message);
  }

  @SubscribeMessage('ping')
  ping(client: Socket, message: unknown): void {
    this.operate(client, 'ping', message);
  }

  private operate(client: Socket, op: string, message: unknown): void {
    try {
      const fields = typeof message === 'object' && message !== null && !Array.isArray(message) ? message : {};
      this.connections.get(client)?.take({ ...fields, op });
    } catch (error) {
      this.deps.logger.error({ err: error }, 'a live connection failed');
      client.disconnect(true);
    }
  }
}
