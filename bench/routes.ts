import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { benchOptions } from './lib/options.js';
import { percentile } from './lib/percentiles.js';
import type { RouteKind } from './lib/route-server.js';
import { printTable } from './lib/table.js';

/**
 * bench/routes: what a request costs the process that answers it, by the way in which its route is made. CPU time, so
 * that other work on the machine shows less; the kinds take turns.
 *
 * Run: `node dist/bench/routes.js [--requests 20000] [--rounds 5]`
 */
const values = benchOptions('routes', { requests: '20000', rounds: '5' });
const kinds: readonly RouteKind[] = ['bare', 'declared', 'controller', 'validation pipe'];
const PATH = '/tokens/eth/0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2/trades?limit=20&from=1700000000000';
const TOGETHER = 50;

interface Measured {
  readonly cpuMicros: number;
  readonly bootMs: number;
}

async function measure(kind: RouteKind, requests: number): Promise<Measured> {
  const server = fork(fileURLToPath(new URL('./lib/route-server.js', import.meta.url)), [kind]);
  try {
    const [{ port, bootMs }] = (await once(server, 'message')) as [{ port: number; bootMs: number }];
    const pool = new Pool(`http://127.0.0.1:${port}`, { connections: TOGETHER, pipelining: 1 });
    const ask = async (count: number): Promise<void> => {
      let left = count;
      const work = async (): Promise<void> => {
        while (left-- > 0) {
          const { statusCode, body } = await pool.request({ path: PATH, method: 'GET' });
          await body.dump();
          if (statusCode !== 200) throw new Error(`${kind} answered ${statusCode}`);
        }
      };
      await Promise.all(Array.from({ length: TOGETHER }, work));
    };
    const spent = async (): Promise<number> => {
      server.send('spent');
      const [answer] = (await once(server, 'message')) as [{ cpuMicros: number }];
      return answer.cpuMicros;
    };
    await ask(Math.ceil(requests / 4));
    await spent();
    await ask(requests);
    const cpu = await spent();
    await pool.close();
    return { cpuMicros: cpu / requests, bootMs };
  } finally {
    server.kill('SIGTERM');
  }
}

const found = new Map<RouteKind, Measured[]>(kinds.map((kind) => [kind, []]));
for (let round = 0; round < Number(values.rounds); round++) {
  for (const kind of kinds) found.get(kind)!.push(await measure(kind, Number(values.requests)));
}
const median = (kind: RouteKind, of: (measured: Measured) => number): number =>
  percentile(found.get(kind)!.map(of), 0.5);
printTable(
  ['route', 'CPU µs a request', 'bare Fastify = 1', 'start ms'],
  kinds.map((kind) => {
    const cpu = median(kind, ({ cpuMicros }) => cpuMicros);
    const base = median('bare', ({ cpuMicros }) => cpuMicros);
    return [kind, cpu.toFixed(1), (cpu / base).toFixed(2), median(kind, ({ bootMs }) => bootMs).toFixed(0)];
  }),
);
