import { parseArgs } from 'node:util';
import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import { SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import { impactPpm } from '#libs/routing/search/solana/solana-impact.js';
import type { SolanaRouteAnswer, SolanaRouteRequest } from '#libs/routing/search/solana/solana-route.js';
import { SolanaRouteFinder } from '#libs/routing/search/solana/solana-route-finder.js';
import { mayGainBySplit, splitRoute } from '#libs/routing/search/solana/split-route.js';
import { percentile } from './lib/percentiles.js';
import { httpTable, measureHttp } from './lib/quote-http.js';
import { SolanaQuoteMarket } from './lib/solana-quote-market.js';
import { SDK_MAKERS } from './lib/solana-sdk-quotes.js';
import { printTable } from './lib/table.js';

/**
 * bench/quote-solana: how long the search for a route over Solana pools of every venue takes, in process; then one quote of
 * one pool by the venues' own packages compared with ours, over the same account bytes, and `/quote` over HTTP.
 */
const HELP = `node dist/bench/quote-solana.js
  --pools 200,1000   sizes of the markets
  --hops 2,3,4       greatest number of hops
  --cases 600        questions a row
  --seed 1           of markets and questions
  --sdk-cases 300    pools a package; 0: left out
  --requests 20000   of /quote over HTTP, a row of the table; 0: left out
  --http-pools 200   size of the market behind it`;

const { values } = parseArgs({
  options: {
    pools: { type: 'string', default: '200,1000' },
    hops: { type: 'string', default: '2,3,4' },
    cases: { type: 'string', default: '600' },
    seed: { type: 'string', default: '1' },
    'sdk-cases': { type: 'string', default: '300' },
    requests: { type: 'string', default: '20000' },
    'http-pools': { type: 'string', default: '200' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
const cases = Number(values.cases);
const seed = Number(values.seed);
const numbers = (text: string): number[] => text.split(',').filter(Boolean).map(Number);
const ms = (value: number): string => value.toFixed(value < 10 ? 3 : 1);

interface Asking {
  /** Runs before each question. */
  readonly before?: () => void;
  readonly split?: boolean;
}

function ask(
  finder: SolanaRouteFinder,
  requests: readonly SolanaRouteRequest[],
  { before = () => undefined, split = false }: Asking = {},
) {
  /** As a quote does, which looks for a split where the amount moves the price. */
  const splitOf = (request: SolanaRouteRequest, { route }: SolanaRouteAnswer & { kind: 'route' }) =>
    mayGainBySplit(impactPpm([route.hops])) ? splitRoute((asked) => finder.route(asked), request, route) : null;
  const samples: number[] = [];
  const cpu: number[] = [];
  const answers = requests.map((request): SolanaRouteAnswer => {
    before();
    const used = process.cpuUsage();
    const started = performance.now();
    const answer = finder.find(request);
    if (split && answer.kind === 'route') splitOf(request, answer);
    samples.push(performance.now() - started);
    const { user, system } = process.cpuUsage(used);
    cpu.push((user + system) / 1_000);
    return answer;
  });
  return { samples, cpu, answers };
}

const rows: string[][] = [];
for (const pools of numbers(values.pools)) {
  for (const hops of numbers(values.hops)) {
    const market = new SolanaQuoteMarket(pools, seed);
    const finder = new SolanaRouteFinder(market.book);
    const maxHops = hops as 2 | 3 | 4;
    const row = (name: string, exact: 'in' | 'out', asking?: Asking): void => {
      const { samples, cpu, answers } = ask(finder, market.requests(cases, maxHops, exact), asking);
      const routes = answers.filter((answer) => answer.kind === 'route');
      const candidates = routes.reduce((sum, each) => sum + each.candidates, 0) / routes.length;
      rows.push([
        `${pools.toLocaleString()} pools, ${name}`,
        `${hops}`,
        ...[0.5, 0.95, 0.99].map((share) => ms(percentile(samples, share))),
        ...[0.5, 0.99].map((share) => ms(percentile(cpu, share))),
        `${Math.round((100 * routes.length) / answers.length)} %`,
        Math.round(candidates).toLocaleString(),
      ]);
    };
    ask(finder, market.requests(cases, maxHops, 'in'));
    row('exact input', 'in');
    row('exact output', 'out');
    const trade = () => market.trade(Math.ceil(pools / 100));
    row('exact input, 1 % changed', 'in', { before: trade });
    row('exact input, with splits', 'in', { split: true });
    row('exact input, 1 % changed, with splits', 'in', { before: trade, split: true });
  }
}
if (rows.length > 0)
  printTable(['search, ms', 'hops', 'p50', 'p95', 'p99', 'CPU p50', 'CPU p99', 'with a route', 'candidates'], rows);

const sdkCases = Number(values['sdk-cases']);
if (sdkCases > 0) {
  const sdkRows: string[][] = [];
  for (const [name, make] of Object.entries(SDK_MAKERS)) {
    const random = new SeededRandom(seed);
    const times = { ours: [] as number[], theirs: [] as number[] };
    let same = 0;
    for (let n = 0; times.ours.length < sdkCases && n < 20 * sdkCases; n++) {
      const both = make(random);
      if (both === null || both.ours() === null) continue;
      if (both.ours() === both.theirs()) same++;
      for (const side of ['ours', 'theirs'] as const) {
        const started = performance.now();
        both[side]();
        times[side].push(performance.now() - started);
      }
    }
    const [ours, theirs] = [times.ours, times.theirs].map((samples) => percentile(samples, 0.5)) as [number, number];
    const us = (value: number): string => (1000 * value).toFixed(1);
    sdkRows.push([name, us(theirs), us(ours), (theirs / ours).toFixed(1), `${same} of ${times.ours.length}`]);
  }
  console.log();
  printTable(['one quote, µs', 'package p50', 'tidepool p50', 'ratio', 'same output'], sdkRows);
}

const requests = Number(values.requests);
if (requests > 0) {
  const market = new SolanaQuoteMarket(Number(values['http-pools']), seed);
  const finder = new SolanaRouteFinder(market.book);
  const { formatAddress } = solanaIds;
  // A server may answer that there is no route; what is measured is quotes.
  const isQuoted = (request: SolanaRouteRequest): boolean => {
    const answer = finder.find(request);
    return answer.kind === 'route' && answer.route.amountOut > 0n;
  };
  const quoted: SolanaRouteRequest[] = [];
  while (quoted.length < 2 * requests) quoted.push(...market.requests(requests, 3, 'in').filter(isQuoted));
  const questions = quoted.slice(0, 2 * requests).map(({ tokenIn, tokenOut, amount, maxHops }) => ({
    ...{ inputMint: formatAddress(tokenIn), outputMint: formatAddress(tokenOut) },
    ...{ amount: String(amount), maxHops: String(maxHops) },
  }));
  const server = new URL('./lib/solana-quote-server.js', import.meta.url);
  const args = [values['http-pools'], String(seed)];
  console.log();
  printTable(...httpTable('/quote', await measureHttp({ path: '/quote', server, args, questions })));
}
process.exit(0);
