import { setTimeout as delay } from 'node:timers/promises';
import { chainSpec } from '#libs/chain/catalogue/catalogue.js';
import type { Hex } from '#libs/core/ids.js';
import { temporaryStore } from '#libs/devkit/testing/market/market-harness.js';
import { foldVersion } from '#libs/pipeline/fold/fold-version.js';
import { emptyCheckpoint } from '#libs/pipeline/store/market/checkpoint.js';
import { MarketTables } from '#libs/pipeline/store/market/market-tables.js';
import { marketReads } from '#libs/pipeline/store/market/reads.js';
import { encodeTables } from '#libs/pipeline/store/test/row-encoder.js';
import type { FactsGroup } from '#libs/protocol/facts.js';
import { viewAt } from '#libs/serve/reader/chain-view.js';
import { readToken } from '#libs/serve/reader/read-token.js';
import { readTokenPrices } from '#libs/serve/reader/read-token-prices.js';
import { Session } from '#libs/serve/reader/session.js';
import { HeldMarket } from './lib/held-market.js';
import { benchOptions } from './lib/options.js';
import { percentile } from './lib/percentiles.js';
import { printTable } from './lib/table.js';
import { WideMarket } from './lib/wide-market.js';

/**
 * bench/cold: what the first read of a token takes that nothing is held of: one after the other, at a stated rate whether answers came
 * or not (latency from the intended start), and several of one request. In process, no block comes; each token is read once.
 *
 * Run: `UV_THREADPOOL_SIZE=16 node dist/bench/cold.js [--tokens 3000] [--blocks 800] [--trades 40] [--holders 60] [--reads 200]
 *   [--rate 30] [--together 10]`
 */
const values = benchOptions('cold', {
  ...{ tokens: '3000', blocks: '800', trades: '40', holders: '60' },
  ...{ reads: '200', rate: '30', together: '10' },
});
const [tokens, blocks, trades, holders, reads, rate, together] = [
  ...[values.tokens, values.blocks, values.trades, values.holders, values.reads, values.rate, values.together],
].map(Number) as [number, number, number, number, number, number, number];
const BATCH = 20;

const chain = chainSpec('eth')!;
const wide = new WideMarket({
  coin: chain.wrappedNative.token,
  rules: chain.priceRules,
  ...{ tokens, tradesPerBlock: trades, blockMs: 12_000, wallets: 5_000 },
});
const held = new HeldMarket(holders, 5_000);
const { store, dispose } = await temporaryStore();
try {
  const tables = new MarketTables(store, 'eth', 1);
  await tables.ensure();
  let checkpoint = emptyCheckpoint({ generation: 1, epoch: 1, foldVersion });
  const write = async (groups: FactsGroup[]): Promise<void> => {
    const last = groups[groups.length - 1]!;
    for (const batch of encodeTables(groups)) await tables.insert(batch, `${groups[0]!.seq}-${last.seq}`);
    const { seq, height, hash, time } = last;
    checkpoint = { ...checkpoint, seq, height, hash, time };
  };
  await write([wide.opening(), held.first(wide.first())]);
  for (let done = 0; done < blocks; done += BATCH) {
    await write(Array.from({ length: Math.min(BATCH, blocks - done) }, () => held.next(wide.next())));
  }
  // Merges of what was just written are no part of a read.
  while ((await store.query<{ n: string }>('SELECT count() AS n FROM system.merges'))[0]!.n !== '0') await delay(500);
  let queries = 0;
  const query = store.query.bind(store);
  store.query = (...given) => {
    queries++;
    return query(...given) as Promise<never>;
  };
  const pointer = { version: 1, generation: 1, epoch: 1, foldVersion, seq: checkpoint.seq };
  const session = new Session({
    ...{ pointer, checkpoint, reads: marketReads(tables), maxTailBytes: Number.POSITIVE_INFINITY },
  });
  const view = viewAt(chain, session);
  const [warming, ...unread] = shuffled(wide.byTurnover());
  const next = (): Hex => {
    const token = unread.pop();
    if (token === undefined) throw new Error('more reads than tokens');
    return token;
  };
  const several = (): Hex[] => Array.from({ length: together }, next);
  for (const token of [warming!, ...several()]) await readToken(view, token);

  const rows: string[][] = [];
  const measure = async (name: string, count: number, run: (ms: number[]) => Promise<number>): Promise<void> => {
    const before = { cpu: process.cpuUsage(), queries, at: performance.now() };
    const ms: number[] = [];
    const read = await run(ms);
    const { user, system } = process.cpuUsage(before.cpu);
    rows.push([
      ...[name, ...[0.5, 0.99].map((share) => percentile(ms, share).toFixed(1))],
      ...[((user + system) / 1000 / read).toFixed(1), ((queries - before.queries) / read).toFixed(1)],
      ((user + system) / 1000 / (performance.now() - before.at)).toFixed(2),
    ]);
    if (ms.length !== count) throw new Error(`${ms.length} answers instead of ${count}`);
  };
  const timed = async (ms: number[], work: () => Promise<unknown>, from = performance.now()): Promise<void> => {
    await work();
    ms.push(performance.now() - from);
  };
  await measure('one after the other', reads, async (ms) => {
    for (let n = 0; n < reads; n++) await timed(ms, () => readToken(view, next()));
    return reads;
  });
  await measure(`${rate} a second`, reads, async (ms) => {
    const open: Promise<void>[] = [];
    const started = performance.now();
    for (let n = 0; n < reads; n++) {
      const due = started + (n * 1_000) / rate;
      if (due > performance.now()) await delay(due - performance.now());
      open.push(timed(ms, () => readToken(view, next()), due));
    }
    await Promise.all(open);
    return reads;
  });
  const requests = Math.ceil(reads / together);
  await measure(`${together} of one request`, requests, async (ms) => {
    for (let n = 0; n < requests; n++) {
      await timed(ms, () => Promise.all(several().map((token) => readToken(view, token))));
    }
    return requests * together;
  });
  await measure(`prices of ${together}`, requests, async (ms) => {
    for (let n = 0; n < requests; n++) await timed(ms, () => readTokenPrices(view, several()));
    return requests * together;
  });
  console.log(`${tokens.toLocaleString()} tokens, ${(blocks * trades).toLocaleString()} trades in the tables`);
  printTable(['first reads', 'p50 ms', 'p99 ms', 'CPU ms a token', 'queries a token', 'cores'], rows);
} finally {
  await dispose();
}

function shuffled<T>(list: readonly T[]): T[] {
  return list
    .map((value) => ({ value, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ value }) => value);
}
