import { percentile } from './percentiles.js';
import { type Slice, SlicedServer } from './sliced-server.js';

/**
 * Quotes of the router's listener, compared with a bare Fastify route that answers a body of the same size: one
 * request at a time for latency, sixteen at a time for the rate and for the server's CPU time per request. The two take
 * turns, a slice of the same requests each, after both are warm. Figures are medians of the slices, and ratios are those of
 * neighbouring slices, so that other load on the machine affects both.
 */
export interface HttpFigures {
  name: string;
  bodyBytes: number;
  latencies: number[];
  perSecond: number;
  userMicros: number;
  cpuMicros: number;
  /** Requests/s and CPU time relative to bare Fastify's. */
  rate: number;
  cpu: number;
}

export interface HttpOptions {
  /** Path of the quotes. */
  path: string;
  /** The router over its market: the module of its process, and what that is started with. */
  server: URL;
  args: readonly string[];
  /** All of them different: half for the rows of GET, half for those of POST. */
  questions: readonly QuoteHttpRequest[];
}

/** Parameters of a quote. */
interface QuoteHttpRequest {
  readonly inputMint: string;
  readonly outputMint: string;
  readonly amount: string;
  readonly maxHops: string;
  readonly chain?: string;
}

const SLICES = 8;
/** The quoter is asked about a path every 0.2 s: by then the gas of those that come again is known. */
const WARM_MS = 5_000;
/** The same few questions again and again. */
const POLLED = 24;

const HEAD = 'host: 127.0.0.1\r\n';
const get = (path: string, question: QuoteHttpRequest): Buffer =>
  Buffer.from(`GET ${path}?${new URLSearchParams({ ...question })} HTTP/1.1\r\n${HEAD}\r\n`);
function post(path: string, question: QuoteHttpRequest): Buffer {
  const body = JSON.stringify({ ...question, maxHops: Number(question.maxHops) });
  const head = `${HEAD}content-type: application/json\r\ncontent-length: ${body.length}\r\n`;
  return Buffer.from(`POST ${path} HTTP/1.1\r\n${head}\r\n${body}`);
}

const half = (values: readonly number[]) => percentile(values, 0.5);

function figuresOf(
  name: string,
  bodyBytes: number,
  latencies: number[],
  slices: Slice[],
  beside: Slice[],
): HttpFigures {
  const [perSecond, userMicros, cpuMicros] = (['perSecond', 'userMicros', 'cpuMicros'] as const).map((what) =>
    half(slices.map((slice) => slice[what])),
  ) as [number, number, number];
  const rate = half(slices.map((slice, i) => slice.perSecond / beside[i]!.perSecond));
  const cpu = half(slices.map((slice, i) => slice.cpuMicros / beside[i]!.cpuMicros));
  return { name, bodyBytes, latencies, perSecond, userMicros, cpuMicros, rate, cpu };
}

export async function measureHttp({ path, server, args, questions }: HttpOptions): Promise<HttpFigures[]> {
  const requests = questions.length >> 1;
  const again = Array.from({ length: requests }, (_, i) => questions[i % POLLED]!);
  const figures: HttpFigures[] = [];
  const router = await SlicedServer.start(server, args);
  let bare: SlicedServer | null = null;
  try {
    const polled = again.slice(0, 40 * POLLED);
    await router.warm(
      polled.map((question) => get(path, question)),
      WARM_MS,
    );
    const sizes: number[] = [];
    for (const each of again.slice(0, POLLED)) sizes.push((await router.client.ask(get(path, each))).length);
    const bodyBytes = half(sizes);
    bare = await SlicedServer.bare({ [path]: 'x'.repeat(bodyBytes) });
    await bare.warm(
      polled.map((question) => get(path, question)),
      WARM_MS,
    );
    const rows = [
      { name: 'GET, asked again', method: get, asked: again },
      { name: 'POST, asked again', method: post, asked: again },
      { name: 'GET, every question another', method: get, asked: questions.slice(0, requests) },
      { name: 'POST, every question another', method: post, asked: questions.slice(requests) },
    ];
    for (const { name, method, asked } of rows) {
      const all = asked.map((question) => method(path, question));
      const single = all.splice(0, all.length >> 2);
      const size = Math.ceil(all.length / SLICES);
      const latencies = { bare: await bare.latencies(single), router: await router.latencies(single) };
      const slices: { bare: Slice[]; router: Slice[] } = { bare: [], router: [] };
      for (let i = 0; i < SLICES; i++) {
        const part = all.slice(i * size, (i + 1) * size);
        slices.bare.push(await bare.slice(part));
        slices.router.push(await router.slice(part));
      }
      figures.push(figuresOf(`${name}: bare Fastify`, bodyBytes, latencies.bare, slices.bare, slices.bare));
      figures.push(figuresOf(`${name}: router`, bodyBytes, latencies.router, slices.router, slices.bare));
    }
  } finally {
    await Promise.all([router.stop(), bare?.stop()]);
  }
  return figures;
}

const ms = (value: number): string => value.toFixed(value < 10 ? 3 : 1);

/** As rows of a table, with its head. */
export function httpTable(path: string, figures: readonly HttpFigures[]): [string[], string[][]] {
  const ratios = ['requests/s', 'bare = 1', 'user µs each', 'CPU µs each', 'bare = 1'];
  const rows = figures.map(({ name, bodyBytes, latencies, perSecond, userMicros, cpuMicros, rate, cpu }) => [
    ...[name, `${bodyBytes}`, ...[0.5, 0.95, 0.99].map((share) => ms(percentile(latencies, share)))],
    ...[Math.round(perSecond).toLocaleString(), rate.toFixed(2)],
    ...[userMicros.toFixed(1), cpuMicros.toFixed(1), cpu.toFixed(2)],
  ]);
  return [[`${path}, ms`, 'bytes', 'p50', 'p95', 'p99', ...ratios], rows];
}
