import { parseArgs } from 'node:util';
import { RouteFinder } from '#libs/routing/route-finder.js';
import { percentile } from './lib/percentiles.js';
import { QuoteMarket, VENUES } from './lib/quote-market.js';
import { printTable } from './lib/table.js';

const { values } = parseArgs({ options: { pools: { type: 'string', default: '24,200,1000,10000' }, cases: { type: 'string', default: '600' }, seed: { type: 'string', default: '1' } } });
const venues = new Set<string>(Object.values(VENUES));
const rows: string[][] = [];
for (const pools of values.pools.split(',').map(Number)) {
  for (const maxHops of [2, 3] as const) {
    const t0 = performance.now();
    const market = new QuoteMarket(pools, Number(values.seed));
    const built = performance.now() - t0;
    const finder = new RouteFinder(market.book);
    const cases = market.cases(Number(values.cases));
    const t1 = performance.now();
    finder.find({ ...cases[0]!, maxHops, venues });
    const first = performance.now() - t1;
    for (const each of cases) finder.find({ ...each, maxHops, venues });
    for (const mode of ['still', 'block'] ) {
      const samples: number[] = []; const kinds: Record<string, number> = {}; let candidates = 0;
      for (const each of cases) {
        if (mode === 'block') market.nextBlock(Math.ceil(pools/100), true);
        const start = performance.now();
        const answer = finder.find({ ...each, maxHops, venues });
        samples.push(performance.now() - start);
        kinds[answer.kind] = (kinds[answer.kind] ?? 0) + 1;
        if (answer.kind === 'route') candidates += answer.candidates;
      }
      const f = (s: number) => percentile(samples, s).toFixed(3);
      rows.push([String(pools), String(maxHops), mode, f(0.5), f(0.95), f(0.99), f(1), (samples.length / samples.reduce((a, b) => a + b) * 1000).toFixed(0), String(Math.round(candidates / (kinds.route ?? 1))), JSON.stringify(kinds), first.toFixed(1), built.toFixed(0)]);
    }
  }
}
printTable(['pools', 'hops', 'mode', 'p50', 'p95', 'p99', 'max', '/s', 'candidates', 'kinds', 'first', 'built'], rows);
