import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Pool } from 'undici';
import { endWithUs } from './no-orphans.js';
import { type QuoteCase, QuoteMarket } from './quote-market.js';

/**
 * `/evm/quote` of the router's listener, beside a bare Fastify route that answers a body of the same size: one request at
 * a time for latency, sixteen at a time for the rate and for the CPU time of the server's process a request.
 */
export interface HttpFigures {
  name: string;
  bodyBytes: number;
  latencies: number[];
  perSecond: number;
  cpuMicros: number;
}

export interface HttpOptions {
  pools: number;
  seed: number;
  requests: number;
}

const CONNECTIONS = 16;

interface Server {
  pool: Pool;
  cpuMicros(): Promise<number>;
  stop(): Promise<void>;
}

interface Asked {
  method: 'GET' | 'POST';
  path: string;
  body?: string;
}

async function start(kind: 'router' | 'bare', argument: string, seed: number): Promise<Server> {
  const child: ChildProcess = fork(new URL('./quote-server.js', import.meta.url), [kind, argument, String(seed)]);
  endWithUs(child);
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: CONNECTIONS });
  return {
    pool,
    cpuMicros: async () => {
      child.send('cpu');
      const [{ cpu }] = (await once(child, 'message')) as [{ cpu: { user: number; system: number } }];
      return cpu.user + cpu.system;
    },
    stop: async () => {
      await pool.close();
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      await gone;
    },
  };
}

async function send({ pool }: Server, { method, path, body }: Asked): Promise<string> {
  const headers = body === undefined ? {} : { 'content-type': 'application/json' };
  const answer = await pool.request({ method, path, body: body ?? null, headers });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`);
  return text;
}

async function measure(name: string, server: Server, requests: readonly Asked[]): Promise<HttpFigures> {
  const half = requests.length >> 1;
  const latencies: number[] = [];
  let bodyBytes = 0;
  for (const request of requests.slice(0, half)) {
    const started = performance.now();
    bodyBytes += Buffer.byteLength(await send(server, request));
    latencies.push(performance.now() - started);
  }
  const cpu = await server.cpuMicros();
  const started = performance.now();
  const left = requests.slice(half);
  let next = 0;
  const worker = async () => {
    while (next < left.length) await send(server, left[next++]!);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  const seconds = (performance.now() - started) / 1000;
  const cpuMicros = ((await server.cpuMicros()) - cpu) / left.length;
  return { name, bodyBytes: Math.round(bodyBytes / half), latencies, perSecond: left.length / seconds, cpuMicros };
}

const parametersOf = ({ tokenIn, tokenOut, amountIn }: QuoteCase) => ({
  ...{ chain: 'eth', inputMint: `0x${tokenIn}`, outputMint: `0x${tokenOut}`, amount: String(amountIn), maxHops: '3' },
});
const get = (each: QuoteCase): Asked => ({
  method: 'GET',
  path: `/evm/quote?${new URLSearchParams(parametersOf(each))}`,
});
const post = (each: QuoteCase): Asked => ({
  method: 'POST',
  path: '/evm/quote',
  body: JSON.stringify({ ...parametersOf(each), maxHops: 3 }),
});

export async function measureHttp({ pools, seed, requests }: HttpOptions): Promise<HttpFigures[]> {
  const market = new QuoteMarket(pools, seed);
  const cases = market.cases(2 * requests);
  // The same few questions again and again: the gas of their paths is known after the first round.
  const again = Array.from({ length: requests }, (_, i) => cases[i % 24]!);
  const figures: HttpFigures[] = [];
  const router = await start('router', String(pools), seed);
  let sample: string;
  try {
    sample = await send(router, get(cases[0]!));
    for (const each of again.slice(0, 2_000)) await send(router, get(each));
    figures.push(await measure('GET, gas of the path known', router, again.map(get)));
    figures.push(await measure('POST, gas of the path known', router, again.map(post)));
    figures.push(await measure('GET, every question another', router, cases.slice(0, requests).map(get)));
    figures.push(await measure('POST, every question another', router, cases.slice(requests).map(post)));
  } finally {
    await router.stop();
  }
  const mean = figures[0]!.bodyBytes;
  const bare = await start('bare', sample.padEnd(mean, ' ').slice(0, Math.max(mean, sample.length)), seed);
  try {
    for (const each of again.slice(0, 2_000)) await send(bare, get(each));
    figures.unshift(await measure('POST, bare Fastify', bare, again.map(post)));
    figures.unshift(await measure('GET, bare Fastify', bare, again.map(get)));
  } finally {
    await bare.stop();
  }
  return figures;
}
