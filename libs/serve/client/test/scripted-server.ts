import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

/**
 * A live server that does what a spec tells it, frame by frame: what a real one never does on demand (unknown frames,
 * frames in a wrong order, silence, a key that is refused).
 */
export class ScriptedServer {
  /** Status that upgrades are refused with; null: they are granted. */
  refuseWith: number | null = null;
  /** Whether pings of the client are answered. */
  answersPings = true;
  readonly connections: ScriptedConnection[] = [];
  readonly urls: string[] = [];
  private wake: () => void = () => undefined;

  private constructor(
    private readonly server: Server,
    private readonly sockets: WebSocketServer,
  ) {}

  static async start(): Promise<ScriptedServer> {
    const server = createServer((_request, response) => response.writeHead(404).end());
    const sockets = new WebSocketServer({ noServer: true });
    const scripted = new ScriptedServer(server, sockets);
    server.on('upgrade', (request: IncomingMessage, socket, head) => {
      scripted.urls.push(request.url!);
      if (scripted.refuseWith !== null) {
        socket.end(`HTTP/1.1 ${scripted.refuseWith} Refused\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
        return;
      }
      sockets.handleUpgrade(request, socket, head, (opened) => {
        scripted.connections.push(new ScriptedConnection(opened, scripted));
        scripted.wake();
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return scripted;
  }

  get url(): string {
    return `ws://127.0.0.1:${(this.server.address() as AddressInfo).port}/ws`;
  }

  /** The n-th connection, from 0; waits for it. */
  async connection(index: number): Promise<ScriptedConnection> {
    while (this.connections.length <= index) {
      await new Promise<void>((wake) => {
        this.wake = wake;
      });
    }
    return this.connections[index]!;
  }

  async close(): Promise<void> {
    for (const { socket } of this.connections) socket.terminate();
    this.sockets.close();
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }
}

// biome-ignore lint/suspicious/noExplicitAny: messages are looked at field by field
type Message = any;

export class ScriptedConnection {
  private readonly messages: Message[] = [];
  private pinged = 0;
  private wake: () => void = () => undefined;

  constructor(
    readonly socket: WebSocket,
    server: ScriptedServer,
  ) {
    socket.on('message', (data) => {
      const message = JSON.parse(String(data));
      if (message.op !== 'ping') {
        this.messages.push(message);
        this.wake();
      } else {
        this.pinged++;
        if (server.answersPings) this.send({ type: 'pong', id: null });
        this.wake();
      }
    });
  }

  /** Waits until the client has asked for so many signs of life. */
  async pings(count: number): Promise<void> {
    while (this.pinged < count) {
      await new Promise<void>((wake) => {
        this.wake = wake;
      });
    }
  }

  /** The next operation of the client, pings left out. */
  async operation(): Promise<Message> {
    while (this.messages.length === 0) {
      await new Promise<void>((wake) => {
        this.wake = wake;
      });
    }
    return this.messages.shift();
  }

  send(frame: object | string): void {
    this.socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  /** Everything that was sent before has been read by the client, once its answer to this ping is there. */
  async settled(): Promise<void> {
    this.socket.ping();
    await once(this.socket, 'pong');
  }
}
