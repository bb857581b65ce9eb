import { Server, ServerCredentials, type ServerDuplexStream, status } from '@grpc/grpc-js';
import { until } from '#libs/devkit/testing/until.js';
import type { Json } from '../../malformed.js';
import { encodeUpdate, subscribe } from './geyser-messages.js';

/** An endpoint that speaks the Geyser protocol: tells its subscribers what the test tells it, pings and answers pings. */
type Session = ServerDuplexStream<Json, Buffer>;

export class GeyserServer {
  readonly requests: Json[] = [];
  readonly sessions = new Set<Session>();
  /** Sessions there ever were. */
  opened = 0;
  /** Accepts subscriptions and says nothing at all. */
  silent = false;
  private constructor(
    private readonly server: Server,
    readonly port: number,
    private readonly token: string | null,
  ) {}

  get url(): string {
    return `grpc://127.0.0.1:${this.port}`;
  }

  static async listen(options: { token?: string; port?: number } = {}): Promise<GeyserServer> {
    const server = new Server({ 'grpc.max_receive_message_length': -1 });
    const asIs = (bytes: Buffer): Buffer => bytes;
    const definition = { ...subscribe, responseSerialize: asIs };
    server.addService({ Subscribe: definition } as never, {
      Subscribe: (call: Session) => made.open(call),
    });
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync(`127.0.0.1:${options.port ?? 0}`, ServerCredentials.createInsecure(), (error, bound) =>
        error ? reject(error) : resolve(bound),
      );
    });
    const made: GeyserServer = new GeyserServer(server, port, options.token ?? null);
    return made;
  }

  publish(update: object): void {
    this.send(encodeUpdate({ filters: ['blocks'], ...update }));
  }

  send(bytes: Buffer): void {
    for (const session of this.sessions) session.write(bytes);
  }

  /** Ends every stream in order. */
  endAll(): void {
    for (const session of this.sessions) session.end();
  }

  /** Waits until a client has subscribed. */
  async subscribed(): Promise<void> {
    await until('a client that has subscribed', () => this.sessions.size > 0);
  }

  close(): void {
    this.server.forceShutdown();
  }

  private open(call: Session): void {
    this.opened++;
    if (this.token !== null && call.metadata.get('x-token')[0] !== this.token) {
      const details = `the token ${call.metadata.get('x-token')[0]} is not known`;
      call.emit('error', { code: status.UNAUTHENTICATED, details });
      return;
    }
    call.on('data', (request: Json) => {
      this.requests.push(request);
      if (this.silent) return;
      if (request.ping) call.write(encodeUpdate({ pong: { id: (request.ping as Json).id } }));
      else this.sessions.add(call);
    });
    const gone = (): void => void this.sessions.delete(call);
    call.on('end', () => call.end());
    call.on('close', gone).on('cancelled', gone).on('error', gone).on('finish', gone);
  }
}
