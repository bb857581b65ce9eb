import { Inject } from '@nestjs/common';
import {
  type OnGatewayConnection,
  type OnGatewayDisconnect,
  SubscribeMessage,
  WebSocketGateway,
} from '@nestjs/websockets';
import type { Socket } from 'socket.io';
import { LOGGER } from '#libs/app/modules/tokens.js';
import type { HttpLogger } from '#libs/serve/http/http-logger.js';
import type { LiveConnection } from '#libs/serve/live/live-connection.js';
import { LiveHub } from '#libs/serve/live/live-hub.js';
import { endCodes, endWords } from '../close-codes.js';
import { TransportCounters } from '../transport-counters.js';
import { NAMESPACE, PacketFrames } from './packet-frames.js';
import { PacketOutlet } from './packet-outlet.js';
import { SocketIoServer } from './socket-io-server.js';

/** The live interface as a namespace: the operations are events, each answer and each frame is an event `frame`. */
@WebSocketGateway({ namespace: NAMESPACE })
export class LiveGateway implements OnGatewayConnection<Socket>, OnGatewayDisconnect<Socket> {
  private readonly frames = new PacketFrames();
  private readonly connections = new WeakMap<Socket, LiveConnection>();
  private readonly ends = new WeakMap<Socket, () => void>();

  constructor(
    private readonly server: SocketIoServer,
    private readonly hub: LiveHub,
    private readonly counters: TransportCounters,
    @Inject(LOGGER) private readonly logger: HttpLogger,
  ) {}

  handleConnection(client: Socket): void {
    const arrival = this.server.arrivalOf(client);
    const outlet = new PacketOutlet(client, arrival.socket, this.frames, this.counters);
    const connection = this.hub.connect(outlet);
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
      this.logger.error({ err: error }, 'a live connection failed');
      client.disconnect(true);
    }
  }
}
