import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { endWithUs } from './no-orphans.js';
import { QuoteClient } from './quote-client.js';

const CONNECTIONS = 16;
const BARE = new URL('./bare-server.js', import.meta.url);

/** Of the requests of one slice: how many a second, and the CPU time that the server's process took for one. */
export interface Slice {
  perSecond: number;
  userMicros: number;
  cpuMicros: number;
}

/**
 * A server in a process of its own that says its port, then its CPU time whenever it is asked. It is measured in slices, so that
 * servers that are compared can take turns.
 */
export class SlicedServer {
  private constructor(
    private readonly child: ChildProcess,
    readonly port: number,
    readonly key: string,
    public client: QuoteClient,
  ) {}

  /** Of a bare Fastify that answers each path with its bytes. */
  static bare(bodies: Readonly<Record<string, string>>): Promise<SlicedServer> {
    const child = fork(BARE);
    child.send(bodies);
    return SlicedServer.begun(child);
  }

  static start(script: URL | string, args: readonly string[], execArgv: readonly string[] = []): Promise<SlicedServer> {
    return SlicedServer.begun(fork(script, args, { execArgv: [...execArgv] }));
  }

  private static async begun(child: ChildProcess): Promise<SlicedServer> {
    endWithUs(child);
    const [{ port, key = '' }] = (await once(child, 'message')) as [{ port: number; key?: string }];
    return SlicedServer.of(child, port, key);
  }

  /** Of a process that has said its port already. */
  static async of(child: ChildProcess, port: number, key = ''): Promise<SlicedServer> {
    return new SlicedServer(child, port, key, await QuoteClient.open(port, CONNECTIONS));
  }

  /** Before a turn that comes after a pause: a server ends connections over which nothing came for seconds. */
  async reconnect(): Promise<void> {
    this.client.close();
    this.client = await QuoteClient.open(this.port, CONNECTIONS);
  }

  async warm(requests: readonly Buffer[], ms: number): Promise<void> {
    for (const end = performance.now() + ms; performance.now() < end; ) await this.client.askAll(requests);
  }

  async latencies(requests: readonly Buffer[]): Promise<number[]> {
    const samples: number[] = [];
    for (const request of requests) {
      const started = performance.now();
      await this.client.ask(request);
      samples.push(performance.now() - started);
    }
    return samples;
  }

  async slice(requests: readonly Buffer[]): Promise<Slice> {
    const before = await this.cpu();
    const seconds = await this.client.askAll(requests);
    const after = await this.cpu();
    const userMicros = (after.user - before.user) / requests.length;
    const systemMicros = (after.system - before.system) / requests.length;
    return { perSecond: requests.length / seconds, userMicros, cpuMicros: userMicros + systemMicros };
  }

  async stop(): Promise<void> {
    this.client.close();
    const gone = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await gone;
  }

  private async cpu(): Promise<{ user: number; system: number }> {
    this.child.send('cpu');
    const [{ cpu }] = (await once(this.child, 'message')) as [{ cpu: { user: number; system: number } }];
    return cpu;
  }
}
