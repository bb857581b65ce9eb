import { parseArgs } from 'node:util';
import type { RouteAnswer } from '#libs/routing/search/route.js';
import { RouteFinder } from '#libs/routing/search/route-finder.js';
import { percentile } from './lib/percentiles.js';
import { httpTable, measureHttp } from './lib/quote-http.js';
import { type QuoteCase, QuoteMarket, VENUES } from './lib/quote-market.js';
import { askPeer, installQuotePeers, type PeerRouter, reprice } from './lib/quote-peers.js';
import { timeQuoterCalls } from './lib/quote-quoter.js';
import { printTable } from './lib/table.js';

/**
 * bench/quote: how long the route search takes, in process, over markets of several sizes; then public routers over the
 * same pools, whose routes are re-priced by our exact functions and may not be better; then one call of the chain's quoter,
 * and `/evm/quote` over HTTP.
 */
const HELP = `node dist/bench/quote.js
  --pools 24,200,1000,10000   sizes of the markets
  --cases 2000                questions a market
  --seed 1                    of markets and questions
  --peer-pools 24,200         sizes at which the public routers are asked too; empty: they are left out
  --peer-seconds 15           about how long each of them is asked
  --quoter-calls 300          eth_calls of the quoter on a local chain; 0: left out
  --requests 20000            of /evm/quote over HTTP, a row of the table; 0: left out
  --http-pools 200            size of the market behind it`;

const { values } = parseArgs({
  options: {
    pools: { type: 'string', default: '24,200,1000,10000' },
    cases: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    'peer-pools': { type: 'string', default: '24,200' },
    'peer-seconds': { type: 'string', default: '15' },
    'quoter-calls': { type: 'string', default: '300' },
    requests: { type: 'string', default: '20000' },
    'http-pools': { type: 'string', default: '200' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
const seed = Number(values.seed);
const cases = Number(values.cases);
const sizes = (text: string) => text.split(',').filter(Boolean).map(Number);
const HOPS = [2, 3] as const;
const PEERS: readonly { router: PeerRouter; venues: readonly string[]; pairFeePpm: number }[] = [
  { router: 'smart-router', venues: Object.values(VENUES), pairFeePpm: 2500 },
  { router: 'v2-sdk', venues: [VENUES.constantProduct], pairFeePpm: 3000 },
  { router: 'v3-sdk', venues: [VENUES.concentrated], pairFeePpm: 3000 },
];

interface Asked {
  samples: number[];
  answers: RouteAnswer[];
}

function ask(
  finder: RouteFinder,
  questions: readonly QuoteCase[],
  maxHops: 2 | 3,
  venues: readonly string[],
  before: () => void = () => undefined,
): Asked {
  const allowed = new Set(venues);
  const samples: number[] = [];
  const answers = questions.map((question) => {
    before();
    const started = performance.now();
    const answer = finder.find({ ...question, maxHops, venues: allowed });
    samples.push(performance.now() - started);
    return answer;
  });
  return { samples, answers };
}

const ms = (value: number) => value.toFixed(value < 10 ? 3 : 1);
const spread = (samples: readonly number[]) => [0.5, 0.95, 0.99].map((share) => ms(percentile(samples, share)));
const rate = (samples: readonly number[]) =>
  Math.round((samples.length / samples.reduce((sum, each) => sum + each, 0)) * 1000).toLocaleString();

function routesOf(answers: readonly RouteAnswer[]): string[] {
  const routes = answers.filter((answer) => answer.kind === 'route');
  const candidates = routes.reduce((sum, { candidates }) => sum + candidates, 0) / routes.length;
  return [`${Math.round((100 * routes.length) / answers.length)} %`, Math.round(candidates).toLocaleString()];
}

const rows: string[][] = [];
for (const pools of sizes(values.pools)) {
  for (const maxHops of HOPS) {
    const market = new QuoteMarket(pools, seed);
    const finder = new RouteFinder(market.book);
    const questions = market.cases(cases);
    const venues = Object.values(VENUES);
    ask(finder, questions, maxHops, venues);
    const still = ask(finder, questions, maxHops, venues);
    const row = (name: string, { samples, answers }: Asked) => {
      rows.push([
        `${pools.toLocaleString()} pools, ${name}`,
        `${maxHops}`,
        ...spread(samples),
        rate(samples),
        ...routesOf(answers),
      ]);
    };
    row('as they are', still);
    const changed = Math.ceil(pools / 100);
    const each = questions.slice(0, Math.ceil(cases / 4));
    row(
      '1 % changed',
      ask(finder, each, maxHops, venues, () => market.nextBlock(changed, false)),
    );
    row(
      'and one new',
      ask(finder, each, maxHops, venues, () => market.nextBlock(changed, true)),
    );
  }
}
if (rows.length > 0) {
  printTable(['search, ms', 'hops', 'p50', 'p95', 'p99', 'searches/s', 'with a route', 'candidates'], rows);
}

const peerRows: string[][] = [];
const peerSizes = sizes(values['peer-pools']);
if (peerSizes.length > 0) await installQuotePeers();
for (const pools of peerSizes) {
  for (const maxHops of HOPS) for (const peer of PEERS) await besidePeer(peer, pools, maxHops);
}
if (peerRows.length > 0) {
  console.log();
  const head = ['search, ms', 'hops', 'asked', 'p50', 'p95', 'tidepool p50', 'ratio', 'same', 'worse', 'loop'];
  printTable([...head, 'better', 'failed'], peerRows);
}

if (Number(values['quoter-calls']) > 0) {
  const samples = await timeQuoterCalls(Number(values['quoter-calls']));
  console.log();
  printTable(['one eth_call of QuoterV2, ms', 'p50', 'p95', 'p99'], [['local anvil, one pool', ...spread(samples)]]);
}

if (Number(values.requests) > 0) {
  const pools = Number(values['http-pools']);
  const questions = new QuoteMarket(pools, seed).cases(2 * Number(values.requests)).map((each) => ({
    ...{ chain: 'eth', inputMint: `0x${each.tokenIn}`, outputMint: `0x${each.tokenOut}` },
    ...{ amount: String(each.amountIn), maxHops: '3' },
  }));
  const server = new URL('./lib/quote-server.js', import.meta.url);
  const args = [String(pools), String(seed)];
  console.log();
  printTable(...httpTable('/evm/quote', await measureHttp({ path: '/evm/quote', server, args, questions })));
}
process.exit(0);

/** One public router and ours over the same pools and questions. */
async function besidePeer(
  { router, venues, pairFeePpm }: (typeof PEERS)[number],
  pools: number,
  maxHops: 2 | 3,
): Promise<void> {
  const market = new QuoteMarket(pools, seed, pairFeePpm);
  const questions = market.cases(300);
  const finder = new RouteFinder(market.book);
  ask(finder, questions, maxHops, venues);
  const { results, failed } = await askPeer(router, market, questions, maxHops, Number(values['peer-seconds']));
  const ours = ask(finder, questions.slice(0, Math.max(1, results.length)), maxHops, venues);
  const counts = { same: 0, worse: 0, loop: 0, better: 0 };
  for (const [i, result] of results.entries()) {
    if (result === null) continue;
    const answer = ours.answers[i]!;
    const found = answer.kind === 'route' ? answer.route.amountOut : 0n;
    const theirs = result.best === null ? null : reprice(market, questions[i]!, result.best.pools);
    const amount = theirs?.amountOut ?? 0n;
    if (amount <= found) counts[amount === found ? 'same' : 'worse']++;
    else counts[theirs!.tokenTwice ? 'loop' : 'better']++;
  }
  const samples = results.flatMap((result) => (result === null ? [] : [result.ms]));
  const name = `${router}, ${pools.toLocaleString()} pools`;
  if (samples.length === 0) {
    peerRows.push([name, `${maxHops}`, '0', '', '', '', '', '', '', '', '', `${failed}`]);
    return;
  }
  const [p50, own] = [percentile(samples, 0.5), percentile(ours.samples, 0.5)];
  peerRows.push([
    ...[name, `${maxHops}`, `${results.length}`, ms(p50), ms(percentile(samples, 0.95)), ms(own)],
    ...[
      Math.round(p50 / own).toLocaleString(),
      `${counts.same}`,
      `${counts.worse}`,
      `${counts.loop}`,
      `${counts.better}`,
      `${failed}`,
    ],
  ]);
  if (counts.better > 0) throw new Error(`${name}: ${counts.better} routes are better than ours`);
}
