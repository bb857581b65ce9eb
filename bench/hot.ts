import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { endWithUs } from './lib/no-orphans.js';
import { benchOptions } from './lib/options.js';
import { percentile } from './lib/percentiles.js';
import { type Draw, hotRoutes, printUse, REPEATED_HEAD, RestLoad } from './lib/rest-load.js';
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
const [rate, seconds, requests] = [values.rate, values.seconds, values.requests].map(Number) as [
  number,
  number,
  number,
];

async function server(mb: string): Promise<RestLoad> {
  const given = [mb, values.tokens, values.blocks, values.trades, values['block-ms'], String(seconds / 60 + 10)];
  const child = fork(fileURLToPath(new URL('./lib/hot-server.js', import.meta.url)), given);
  endWithUs(child, 'SIGTERM');
  const [{ port, tokens }] = (await once(child, 'message')) as [{ port: number; tokens: string[] }];
  const noWallet = (): string => '';
  // A share u of the requests goes to the first u³ of the tokens.
  const any: Draw = { token: () => tokens[Math.floor(Math.random() ** 3 * tokens.length)]!, wallet: noWallet };
  const first = (): Draw => {
    let n = 0;
    return { token: () => tokens[n++]!, wallet: noWallet };
  };
  return new RestLoad(child, port, hotRoutes, any, first);
}

for (const mb of values.mb.split(',')) {
  const api = await server(mb);
  console.log(
    `\nTIDEPOOL_HOT_MB=${mb}: asked again within a block, ${values.again} of each, in slices that take turns`,
  );
  printTable(REPEATED_HEAD, await api.repeated(hotRoutes, Number(values.again)));
  api.start();
  await api.mixed(rate, seconds / 4);
  await api.use();
  const latencies = await api.mixed(rate, seconds);
  const use = await api.use();
  const rows: string[][] = [];
  for (const [route, { ms, failed }] of latencies) {
    const perSecond = (await api.alone(route, requests)).toFixed(0);
    rows.push([route, percentile(ms, 0.5).toFixed(1), percentile(ms, 0.99).toFixed(1), String(failed), perSecond]);
  }
  console.log(
    `\nTIDEPOOL_HOT_MB=${mb}: while blocks come, ${rate} requests/s mixed for ${seconds} s, then ${requests} of each`,
  );
  printTable(['route', 'p50 ms', 'p99 ms', 'refused', 'alone, requests/s'], rows);
  printUse(use, seconds);
  await api.end();
}
