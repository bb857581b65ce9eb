import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import type { ReaderStatus } from '#libs/serve/reader/chain-reader.js';
import { percentile } from './percentiles.js';
import { SlicedServer } from './sliced-server.js';

/**
 * Load on the API of a process that says its port first: requests over many subjects at a stated rate, and the same ones again and again
 * in turns with a bare Fastify.
 */
export interface Draw {
  token(): string;
  wallet(): string;
}

/** Paths by the name of the route. */
export type Routes = Readonly<Record<string, (draw: Draw) => string>>;

export interface Measured {
  readonly ms: number[];
  failed: number;
}

export type Use = ReaderStatus & { cpuMicros: number; rss: number };

/** Slices of a route's repeated requests: the two servers take turns. */
const SLICES = 8;
const TOGETHER = 16;

/** The routes that are answered from memory where they can. */
export const hotRoutes: Routes = {
  token: ({ token }) => `/tokens/eth/0x${token()}`,
  'ten tokens': ({ token }) => `/tokens?ids=${Array.from({ length: 10 }, () => `eth:0x${token()}`).join(',')}`,
  'ten prices': ({ token }) => `/prices?tokens=${Array.from({ length: 10 }, () => `eth:0x${token()}`).join(',')}`,
  'newest trades': ({ token }) => `/tokens/eth/0x${token()}/trades?limit=50`,
  'candles 1m': ({ token }) => `/tokens/eth/0x${token()}/candles?interval=1m&limit=300`,
  trending: () => '/trending?chain=eth&limit=50',
  screener: () => '/screener?chain=eth&limit=50',
  holders: ({ token }) => `/tokens/eth/0x${token()}/holders?limit=50`,
  search: () => `/search?chain=eth&q=T${Math.floor(Math.random() * 36).toString(36)}`,
};

export class RestLoad {
  private readonly pool: Pool;

  constructor(
    private readonly child: ChildProcess,
    private readonly port: number,
    private readonly routes: Routes,
    private readonly any: Draw,
    /** Those that trade most. */
    private readonly first: () => Draw,
  ) {
    this.pool = new Pool(`http://127.0.0.1:${port}`, { connections: 256, pipelining: 1 });
  }

  /** Whether it was answered: tables that are asked for more than they can give answer 502 or 503. */
  async ask(route: string): Promise<boolean> {
    const path = this.routes[route]!(this.any);
    const { statusCode, body } = await this.pool.request({ path, method: 'GET' });
    const text = await body.text();
    if (statusCode !== 200 && statusCode < 502)
      throw new Error(`${path} answered ${statusCode}: ${text.slice(0, 300)}`);
    return statusCode === 200;
  }

  /** Sends at the rate, whether answers came or not; latency is counted from the intended send. */
  async mixed(rate: number, seconds: number): Promise<Map<string, Measured>> {
    const names = Object.keys(this.routes);
    const found = new Map<string, Measured>(names.map((route) => [route, { ms: [], failed: 0 }]));
    const started = performance.now();
    const open: Promise<void>[] = [];
    for (let n = 0; n < rate * seconds; n++) {
      const due = started + (n * 1_000) / rate;
      if (due > performance.now()) await delay(due - performance.now());
      const route = names[n % names.length]!;
      const measured = found.get(route)!;
      const answered = (ok: boolean): void => {
        measured.ms.push(performance.now() - due);
        if (!ok) measured.failed++;
      };
      open.push(this.ask(route).then(answered));
    }
    await Promise.all(open);
    return found;
  }

  /** Each route asked the same again while no block comes: latency one at a time, then CPU time next to a bare Fastify's. */
  async repeated(routes: Routes, again: number): Promise<string[][]> {
    const own = await SlicedServer.of(this.child, this.port);
    const asked: { route: string; request: Buffer; bytes: number }[] = [];
    const bodies: Record<string, string> = {};
    for (const [route, pathOf] of Object.entries(routes)) {
      const path = pathOf(this.first());
      const request = Buffer.from(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`);
      const body = await own.client.ask(request);
      bodies[path.split('?')[0]!] = body.toString('utf8');
      asked.push({ route, request, bytes: body.length });
    }
    const bare = await SlicedServer.bare(bodies);
    const rows: string[][] = [];
    for (const { route, request, bytes } of asked) {
      await Promise.all([own.reconnect(), bare.reconnect()]);
      const slice = Array.from({ length: Math.ceil(again / SLICES) }, () => request);
      for (const side of [own, bare]) await side.client.askAll(slice);
      const latencies = await own.latencies(slice);
      const cpu: { own: number; bare: number }[] = [];
      for (let n = 0; n < SLICES; n++) {
        cpu.push({ own: (await own.slice(slice)).cpuMicros, bare: (await bare.slice(slice)).cpuMicros });
      }
      const median = (of: (one: { own: number; bare: number }) => number): string =>
        percentile(cpu.map(of), 0.5).toFixed(1);
      const ratio = percentile(
        cpu.map((one) => one.own / one.bare),
        0.5,
      ).toFixed(2);
      const ms = [0.5, 0.99].map((share) => percentile(latencies, share).toFixed(2));
      rows.push([route, String(bytes), ...ms, median((one) => one.own), median((one) => one.bare), ratio]);
    }
    own.client.close();
    await bare.stop();
    return rows;
  }

  /** Answered a second, sixteen together. */
  async alone(route: string, requests: number): Promise<number> {
    let left = requests;
    const started = performance.now();
    const work = async (): Promise<void> => {
      while (left-- > 0) await this.ask(route);
    };
    await Promise.all(Array.from({ length: TOGETHER }, work));
    return (requests / (performance.now() - started)) * 1_000;
  }

  start(): void {
    this.child.send('start');
  }

  async use(): Promise<Use> {
    this.child.send('use');
    const [use] = (await once(this.child, 'message')) as [Use];
    return use;
  }

  async end(): Promise<void> {
    await this.pool.close();
    this.child.kill('SIGTERM');
    await once(this.child, 'exit');
  }
}

export const REPEATED_HEAD = ['route', 'bytes', 'p50 ms', 'p99 ms', 'CPU µs', 'bare Fastify', 'bare = 1'];

export function printUse({ cpuMicros, rss, hot }: Use, seconds: number): void {
  console.log(
    `CPU ${(cpuMicros / 1e6 / seconds).toFixed(2)} cores at that rate, RSS ${(rss / 1e6).toFixed(0)} MB; ` +
      `held: ${(hot.bytes / 1e6).toFixed(1)} MB in ${hot.entries} keys, ${hot.hits} hits, ${hot.misses} misses`,
  );
}
