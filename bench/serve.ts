import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { YOUNG_SPACE } from './lib/as-started.js';
import { forked } from './lib/asked.js';
import { COIN, idOf } from './lib/fold-market.js';
import { temporaryFolder } from './lib/no-orphans.js';
import { benchOptions } from './lib/options.js';
import { percentile } from './lib/percentiles.js';
import { type Draw, hotRoutes, printUse, REPEATED_HEAD, RestLoad, type Routes } from './lib/rest-load.js';
import type { ServeInput, SqlTimes } from './lib/serve-server.js';
import { printTable } from './lib/table.js';

/**
 * bench/serve: the whole program over a large market, ten million trades by default, while blocks come: every kind of answer mixed over
 * many tokens and wallets at a stated rate, whether answers came or not, latency counted from the intended send; what the tables take
 * for the same questions without the program around them; then the hottest routes next to a bare Fastify.
 *
 * Run: `node dist/bench/serve.js [--stores DIR]`; --help names the sizes. `--stores` keeps the filled folder and continues it.
 */
const values = benchOptions('serve', {
  ...{ trades: '10000000', tokens: '100000', pools: '1000000', wallets: '300000', 'hot-mb': '64', days: '30' },
  ...{ rate: '40', seconds: '60', warm: '20', again: '4000', stores: '' },
});
const TRADES_A_BLOCK = 1_000;
/** 200 trades a second. */
const HEAD = { headTrades: 100, headBlockMs: 500 };
const CREATED = 500;
const DAY_MS = 86_400_000;
const SQL_PATHS = 8;

const [trades, tokens, pools, wallets] = [values.trades, values.tokens, values.pools, values.wallets].map(Number) as [
  ...[number, number, number, number],
];
const history = Math.ceil(pools / CREATED) + Math.ceil(trades / TRADES_A_BLOCK);
const size = { pools, tokens, wallets, created: CREATED, trades: TRADES_A_BLOCK, history };
const input: ServeInput = {
  dir: values.stores === '' ? temporaryFolder('tidepool-bench-serve-') : values.stores,
  hotMb: Number(values['hot-mb']),
  size: { ...size, blockMs: Math.floor((Number(values.days) * DAY_MS) / history), headBlockMs: HEAD.headBlockMs },
  headTrades: HEAD.headTrades,
};
const [rate, seconds] = [Number(values.rate), Number(values.seconds)];

/** Some time of the last four fifths. */
const anyTime = (): number => Date.now() - Math.floor(Math.random() * 0.8 * Number(values.days) * DAY_MS);
const pageRoutes: Routes = {
  'trades of the past': ({ token }) => `/tokens/eth/0x${token()}/trades?limit=50&to=${anyTime()}`,
  'candles of the past': ({ token }) => `/tokens/eth/0x${token()}/candles?interval=1h&limit=300&to=${anyTime()}`,
  traders: ({ token }) => `/tokens/eth/0x${token()}/traders?limit=50`,
  'the coin’s trades': () => `/tokens/eth/0x${COIN}/trades?limit=50&to=${anyTime()}`,
  'wallet’s trades': ({ wallet }) => `/wallets/eth/0x${wallet()}/trades?limit=50`,
  'wallet’s holdings': ({ wallet }) => `/wallets/eth/0x${wallet()}/holdings?limit=50`,
  'top wallets': () => '/wallets/top?chain=eth&window=7d&limit=50',
};
const coinRoutes: Routes = { 'the coin': () => `/tokens/eth/0x${COIN}` };
const pnlRoutes: Routes = { 'wallet’s profits': ({ wallet }) => `/wallets/eth/0x${wallet()}/pnl` };
/** Most milliseconds of 99 of 100. */
const kinds: readonly { goal: number; routes: Routes }[] = [
  { goal: 5, routes: { ...hotRoutes, ...coinRoutes } },
  { goal: 100, routes: pageRoutes },
  { goal: 200, routes: pnlRoutes },
];
const routes: Routes = Object.assign({}, ...kinds.map((kind) => kind.routes));

mkdirSync(input.dir, { recursive: true });
const child = forked('serve-server.js', [JSON.stringify(input)], [YOUNG_SPACE]);
const started = performance.now();
const [{ port }] = (await once(child, 'message')) as [{ port: number }];
console.error(`serving after ${((performance.now() - started) / 1000).toFixed(0)} s`);
const ranked = (count: number): number => Math.floor(Math.exp(Math.random() * Math.log(count + 1))) - 1;
const any: Draw = {
  token: () => idOf(ranked(tokens), 1),
  wallet: () => idOf(Math.floor(wallets * Math.random() ** 2), 3),
};
let next = 0;
const api = new RestLoad(child, port, routes, any, () => ({ token: () => idOf(next++, 1), wallet: any.wallet }));

api.start();
await api.mixed(rate, Number(values.warm));
await api.use();
const latencies = await api.mixed(rate, seconds);
const use = await api.use();
const rows: string[][] = [];
for (const { goal, routes: some } of kinds) {
  for (const route of Object.keys(some)) {
    const { ms, failed } = latencies.get(route)!;
    const shares = [0.5, 0.99].map((share) => percentile(ms, share).toFixed(1));
    rows.push([route, String(ms.length), ...shares, String(goal), String(failed), ...(await sql(route))]);
  }
}
console.log(`
${trades.toLocaleString('en')} trades, ${tokens.toLocaleString('en')} tokens, ${wallets.toLocaleString('en')} wallets, the coin in ${pools.toLocaleString('en')} pools;
200 trades a second come, ${rate} requests a second mixed for ${seconds} s
`);
const sqlHead = ['queries', 'the same SQL: p50 ms'];
printTable(['route', 'requests', 'p50 ms', 'p99 ms', 'goal', 'refused', ...sqlHead], rows);
printUse(use, seconds);
console.log(`\nasked again, ${values.again} of each, in slices that take turns, while blocks come\n`);
printTable(REPEATED_HEAD, await api.repeated(hotRoutes, Number(values.again)));
await api.end();

/** Queries of a route's answer, and what they take alone: medians over some paths. */
async function sql(route: string): Promise<[string, string]> {
  child.send({ paths: Array.from({ length: SQL_PATHS }, () => routes[route]!(any)) });
  const [times] = (await once(child, 'message')) as [SqlTimes[]];
  const median = (all: number[]): number => percentile(all, 0.5);
  const asked = median(times.map(({ queries }) => queries));
  return [String(asked), asked === 0 ? '–' : median(times.map(({ ms }) => median(ms))).toFixed(1)];
}
