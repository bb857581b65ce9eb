import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import type { ReaderStatus } from '#libs/reader/chain-reader.js';
import { endWithUs } from './lib/no-orphans.js';
import { benchOptions } from './lib/options.js';
import { percentile } from './lib/percentiles.js';
import { SlicedServer } from './lib/sliced-server.js';
import { printTable } from './lib/table.js';

/**
 * bench/hot: what the hottest routes take with what is held in memory and without (TIDEPOOL_HOT_MB=0). First, before a block comes,
 * each route asked the same again, next to a bare Fastify that answers the same bytes: what a request costs beyond its answer. Then,
 * while blocks come, all routes mixed over many tokens: most of these are first reads after a new block. They are sent at a stated rate
 * whether answers came or not, latency counted from the intended send; then each alone, as fast as it goes.
 *
 * Run: `UV_THREADPOOL_SIZE=16 node dist/bench/hot.js [--mb 0,64] [--rate 100] [--seconds 60] [--requests 2000] [--tokens 20000]
 *   [--blocks 6000] [--trades 100] [--block-ms 500] [--again 20000]`
 */
const values = benchOptions('hot', {
  ...{ mb: '0,64', rate: '100', seconds: '60', requests: '2000', tokens: '20000', blocks: '6000', trades: '100' },
  'block-ms': '500',
  again: '20000',
});
const TOGETHER = 16;
const [rate, seconds, requests] = [values.rate, values.seconds, values.requests].map(Number) as [
  number,
  number,
  number,
];

/** Tokens that are asked for: a share u of the requests goes to the first u³ of the tokens. */
const routes: Record<string, (token: () => string) => string> = {
  token: (token) => `/tokens/eth/0x${token()}`,
  'ten tokens': (token) => `/tokens?ids=${Array.from({ length: 10 }, () => `eth:0x${token()}`).join(',')}`,
  'ten prices': (token) => `/prices?tokens=${Array.from({ length: 10 }, () => `eth:0x${token()}`).join(',')}`,
  'newest trades': (token) => `/tokens/eth/0x${token()}/trades?limit=50`,
  'candles 1m': (token) => `/tokens/eth/0x${token()}/candles?interval=1m&limit=300`,
  trending: () => '/trending?chain=eth&limit=50',
  screener: () => '/screener?chain=eth&limit=50',
  holders: (token) => `/tokens/eth/0x${token()}/holders?limit=50`,
  search: () => `/search?chain=eth&q=T${Math.floor(Math.random() * 36).toString(36)}`,
};

/** Slices of a route's repeated requests: the two servers take turns. */
const SLICES = 8;

type Use = ReaderStatus & { cpuMicros: number; rss: number };

async function server(mb: string) {
  const given = [mb, values.tokens, values.blocks, values.trades, values['block-ms'], String(seconds / 60 + 10)];
  const child = fork(fileURLToPath(new URL('./lib/hot-server.js', import.meta.url)), given);
  endWithUs(child, 'SIGTERM');
  const [{ port, tokens }] = (await once(child, 'message')) as [{ port: number; tokens: string[] }];
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 256, pipelining: 1 });
  const token = () => tokens[Math.floor(Math.random() ** 3 * tokens.length)]!;
  return {
    sliced: () => SlicedServer.of(child, port),
    /** A path of a route, for the tokens that trade most. */
    path(route: string): string {
      let n = 0;
      return routes[route]!(() => tokens[n++]!);
    },
    /** Whether it was answered: tables that are asked for more than they can give answer 502 or 503. */
    async ask(route: string): Promise<boolean> {
      const path = routes[route]!(token);
      const { statusCode, body } = await pool.request({ path, method: 'GET' });
      const text = await body.text();
      if (statusCode !== 200 && statusCode < 502)
        throw new Error(`${path} answered ${statusCode}: ${text.slice(0, 300)}`);
      return statusCode === 200;
    },
    start: () => child.send('start'),
    async use(): Promise<Use> {
      child.send('use');
      const [use] = (await once(child, 'message')) as [Use];
      return use;
    },
    async end(): Promise<void> {
      await pool.close();
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

type Server = Awaited<ReturnType<typeof server>>;

interface Measured {
  readonly ms: number[];
  failed: number;
}

/** Sends at the rate, whether answers came or not. */
async function mixed(api: Server, forSeconds: number): Promise<Map<string, Measured>> {
  const found = new Map<string, Measured>(Object.keys(routes).map((route) => [route, { ms: [], failed: 0 }]));
  const names = [...found.keys()];
  const started = performance.now();
  const open: Promise<void>[] = [];
  for (let n = 0; n < rate * forSeconds; n++) {
    const due = started + (n * 1_000) / rate;
    if (due > performance.now()) await delay(due - performance.now());
    const route = names[n % names.length]!;
    const measured = found.get(route)!;
    const answered = (ok: boolean): void => {
      measured.ms.push(performance.now() - due);
      if (!ok) measured.failed++;
    };
    open.push(api.ask(route).then(answered));
  }
  await Promise.all(open);
  return found;
}

/** Each route asked the same again while no block comes: latency one at a time, then CPU time next to a bare Fastify's. */
async function repeated(api: Server): Promise<string[][]> {
  const own = await api.sliced();
  const asked: { route: string; request: Buffer; bytes: number }[] = [];
  const bodies: Record<string, string> = {};
  for (const route of Object.keys(routes)) {
    const path = api.path(route);
    const request = Buffer.from(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`);
    const body = await own.client.ask(request);
    bodies[path.split('?')[0]!] = body.toString('utf8');
    asked.push({ route, request, bytes: body.length });
  }
  const bare = await SlicedServer.bare(bodies);
  const rows: string[][] = [];
  for (const { route, request, bytes } of asked) {
    await Promise.all([own.reconnect(), bare.reconnect()]);
    const slice = Array.from({ length: Math.ceil(Number(values.again) / SLICES) }, () => request);
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

async function alone(api: Server, route: string): Promise<number> {
  let left = requests;
  const started = performance.now();
  const work = async (): Promise<void> => {
    while (left-- > 0) await api.ask(route);
  };
  await Promise.all(Array.from({ length: TOGETHER }, work));
  return (requests / (performance.now() - started)) * 1_000;
}

for (const mb of values.mb.split(',')) {
  const api = await server(mb);
  console.log(
    `\nTIDEPOOL_HOT_MB=${mb}: asked again within a block, ${values.again} of each, ${SLICES} slices in turns`,
  );
  printTable(['route', 'bytes', 'p50 ms', 'p99 ms', 'CPU µs', 'bare Fastify', 'bare = 1'], await repeated(api));
  api.start();
  await mixed(api, seconds / 4);
  await api.use();
  const latencies = await mixed(api, seconds);
  const use = await api.use();
  const rows: string[][] = [];
  for (const [route, { ms, failed }] of latencies) {
    const perSecond = (await alone(api, route)).toFixed(0);
    rows.push([route, percentile(ms, 0.5).toFixed(1), percentile(ms, 0.99).toFixed(1), String(failed), perSecond]);
  }
  console.log(
    `\nTIDEPOOL_HOT_MB=${mb}: while blocks come, ${rate} requests/s mixed for ${seconds} s, then ${requests} of each, ${TOGETHER} together`,
  );
  printTable(['route', 'p50 ms', 'p99 ms', 'refused', 'alone, requests/s'], rows);
  const { bytes, entries, hits, misses } = use.hot;
  console.log(
    `CPU ${(use.cpuMicros / 1e6 / seconds).toFixed(2)} cores at that rate, RSS ${(use.rss / 1e6).toFixed(0)} MB; ` +
      `held: ${(bytes / 1e6).toFixed(1)} MB in ${entries} keys, ${hits} hits, ${misses} misses`,
  );
  await api.end();
}
