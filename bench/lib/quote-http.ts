import { percentile } from './percentiles.js';
import { type QuoteCase, QuoteMarket } from './quote-market.js';
import { type Slice, SlicedServer } from './sliced-server.js';

/**
 * `/evm/quote` of the router's listener, compared with a bare Fastify route that answers a body of the same size: one
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
  pools: number;
  seed: number;
  /** Of a row, over all slices. */
  requests: number;
}

const SLICES = 8;
/** The quoter is asked about a path every 0.2 s: by then the gas of those that come again is known. */
const WARM_MS = 5_000;
/** The same few questions again and again. */
const POLLED = 24;

const parametersOf = ({ tokenIn, tokenOut, amountIn }: QuoteCase) => ({
  ...{ chain: 'eth', inputMint: `0x${tokenIn}`, outputMint: `0x${tokenOut}`, amount: String(amountIn), maxHops: '3' },
});
const HEAD = 'host: 127.0.0.1\r\n';
const get = (each: QuoteCase): Buffer =>
  Buffer.from(`GET /evm/quote?${new URLSearchParams(parametersOf(each))} HTTP/1.1\r\n${HEAD}\r\n`);
function post(each: QuoteCase): Buffer {
  const body = JSON.stringify({ ...parametersOf(each), maxHops: 3 });
  const head = `${HEAD}content-type: application/json\r\ncontent-length: ${body.length}\r\n`;
  return Buffer.from(`POST /evm/quote HTTP/1.1\r\n${head}\r\n${body}`);
}

const SERVER = new URL('./quote-server.js', import.meta.url);
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

export async function measureHttp({ pools, seed, requests }: HttpOptions): Promise<HttpFigures[]> {
  const cases = new QuoteMarket(pools, seed).cases(2 * requests);
  const again = Array.from({ length: requests }, (_, i) => cases[i % POLLED]!);
  const figures: HttpFigures[] = [];
  const router = await SlicedServer.start(SERVER, ['router', String(pools), String(seed)]);
  let bare: SlicedServer | null = null;
  try {
    const polled = again.slice(0, 40 * POLLED);
    await router.warm(polled.map(get), WARM_MS);
    const sizes: number[] = [];
    for (const each of again.slice(0, POLLED)) sizes.push((await router.client.ask(get(each))).length);
    const bodyBytes = half(sizes);
    bare = await SlicedServer.start(SERVER, ['bare', 'x'.repeat(bodyBytes), String(seed)]);
    await bare.warm(polled.map(get), WARM_MS);
    const rows = [
      { name: 'GET, asked again', method: get, asked: again },
      { name: 'POST, asked again', method: post, asked: again },
      { name: 'GET, every question another', method: get, asked: cases.slice(0, requests) },
      { name: 'POST, every question another', method: post, asked: cases.slice(requests) },
    ];
    for (const { name, method, asked } of rows) {
      const all = asked.map(method);
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
