import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { Pool } from 'undici';
import { presentedKey } from '#libs/serve/accounts/key-source.js';
import { benchAccounts } from './lib/key-server.js';
import { endWithUs } from './lib/no-orphans.js';
import { benchOptions } from './lib/options.js';
import { percentile } from './lib/percentiles.js';
import { printTable } from './lib/table.js';

/**
 * bench/keys: what key, rate and credits cost a request: in process, with Redis (round trips), and for a hot REST route
 * as throughput for the same CPU time. With and without take turns, so that other work on the machine affects both.
 *
 * Run: `node dist/bench/keys.js [--calls 200000] [--accounts 1000] [--requests 20000] [--rounds 5] [--redis redis://…]`
 */
const values = benchOptions('keys', { calls: '200000', accounts: '1000', requests: '20000', rounds: '5', redis: '' });
const HOT = '/tokens/eth/0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2/trades?limit=20&from=1700000000000';
const TOGETHER = 32;
const [calls, requests, rounds] = [values.calls, values.requests, values.rounds].map(Number) as [
  number,
  number,
  number,
];

function inProcess(): void {
  const { gate, keys } = benchAccounts(Number(values.accounts), null);
  const rawHeaders = keys.map((key) => ['host', 'x', 'accept', '*/*', 'x-api-key', key]);
  const times: number[] = [];
  for (let n = -20_000; n < calls; n++) {
    const carrier = { rawHeaders: rawHeaders[(n + 20_000) % keys.length]!, query: '' };
    const start = process.hrtime.bigint();
    const caller = gate.authenticate(presentedKey(carrier)!)!;
    const admission = gate.admit(caller, { route: 'getToken', credits: 1 });
    if (admission instanceof Promise || 'refused' in admission) throw new Error('it has to be let in at once');
    admission.settle(true);
    const took = Number(process.hrtime.bigint() - start) / 1_000;
    if (n >= 0) times.push(took);
  }
  const row = [0.5, 0.95, 0.99].map((share) => percentile(times, share).toFixed(2));
  printTable(['key, rate and credits, µs', 'p50', 'p95', 'p99'], [['in process', ...row]]);
  console.log('\ngoal: 15 µs at p50\n');
}

async function overRedis(url: string): Promise<void> {
  const { gate, keys, spending } = benchAccounts(Number(values.accounts), url);
  const raw = new Redis(url);
  const executed = async (): Promise<Map<string, number>> => {
    const info = await raw.info('commandstats');
    return new Map([...info.matchAll(/cmdstat_(\w+):calls=(\d+)/g)].map(([, name, count]) => [name!, Number(count)]));
  };
  const ask = async (key: string): Promise<void> => {
    const admission = await gate.admit(gate.authenticate(key)!, { route: 'getToken', credits: 1 });
    if ('refused' in admission) throw new Error('it has to be let in');
    admission.settle(true);
  };
  while ((spending as unknown as { redis: Redis }).redis.status !== 'ready')
    await new Promise((done) => setTimeout(done, 10));
  await ask(keys[0]!);
  const before = await executed();
  const count = Math.min(calls, 20_000);
  for (let n = 0; n < count; n += TOGETHER) {
    await Promise.all(Array.from({ length: TOGETHER }, (_, at) => ask(keys[(n + at) % keys.length]!)));
  }
  const after = await executed();
  const sent = Math.ceil(count / TOGETHER) * TOGETHER;
  // What the script itself calls is no round trip.
  const trips = (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0);
  const rows = ['evalsha', 'eval', 'multi', 'exec'].map((name) => [name, (trips(name) / sent).toFixed(4)]);
  printTable(['commands a request, over Redis', 'count'], rows);
  console.log('\ngoal: one round trip at most\n');
  raw.disconnect();
  spending.close();
}

type Kind = 'keys' | 'none';

async function server(kind: Kind) {
  const child = fork(fileURLToPath(new URL('./lib/key-server.js', import.meta.url)), [kind]);
  endWithUs(child);
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: TOGETHER, pipelining: 1 });
  const headers = { 'x-api-key': `tp_${'0'.repeat(32)}` };
  return {
    async ask(count: number): Promise<number> {
      let left = count;
      const work = async (): Promise<void> => {
        while (left-- > 0) {
          const { statusCode, body } = await pool.request({ path: HOT, method: 'GET', headers });
          await body.dump();
          if (statusCode !== 200) throw new Error(`answered ${statusCode}`);
        }
      };
      const started = performance.now();
      await Promise.all(Array.from({ length: TOGETHER }, work));
      return (count / (performance.now() - started)) * 1_000;
    },
    async cpu(): Promise<number> {
      child.send('cpu');
      const [{ cpuMicros }] = (await once(child, 'message')) as [{ cpuMicros: number }];
      return cpuMicros;
    },
    async end(): Promise<void> {
      await pool.close();
      child.kill('SIGTERM');
    },
  };
}

async function hotRoute(): Promise<void> {
  const kinds = { none: await server('none'), keys: await server('keys') };
  const found: Record<Kind, { cpu: number; perSecond: number }[]> = { none: [], keys: [] };
  for (const kind of ['none', 'keys'] as const) await kinds[kind].ask(requests);
  for (let round = 0; round < rounds; round++) {
    for (const kind of round % 2 === 0 ? (['none', 'keys'] as const) : (['keys', 'none'] as const)) {
      await kinds[kind].cpu();
      const perSecond = await kinds[kind].ask(requests);
      found[kind].push({ cpu: (await kinds[kind].cpu()) / requests, perSecond });
    }
  }
  await Promise.all(Object.values(kinds).map((each) => each.end()));
  const median = (kind: Kind, of: 'cpu' | 'perSecond') =>
    percentile(
      found[kind].map((one) => one[of]),
      0.5,
    );
  const ratios = found.none.map(({ cpu }, round) => cpu / found.keys[round]!.cpu);
  printTable(
    ['hot route', 'CPU µs a request', 'requests/s'],
    (['none', 'keys'] as const).map((kind) => [
      kind === 'none' ? 'without keys' : 'key, rate, credits and usage',
      median(kind, 'cpu').toFixed(1),
      median(kind, 'perSecond').toFixed(0),
    ]),
  );
  console.log(
    `\nthroughput for the same CPU time, median of ${rounds} rounds: ${percentile(ratios, 0.5).toFixed(2)}; goal: 0.8`,
  );
}

inProcess();
if (values.redis !== '') await overRedis(values.redis);
await hotRoute();
