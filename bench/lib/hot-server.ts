import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { createApi } from '#apps/api/src/create-api.js';
import { chainSpec } from '#libs/chain/catalogue/catalogue.js';
import { LiveMarket, SteppedSink } from '#libs/devkit/testing/market/live-market.js';
import { temporaryStore } from '#libs/devkit/testing/market/market-harness.js';
import { createChainReader } from '#libs/serve/reader/chain-reader.js';
import { hotLimits } from '#libs/serve/reader/hot/hot-states.js';
import { storeSource } from '#libs/serve/reader/store-source.js';
import { stopWithUs } from './no-orphans.js';
import { WideMarket } from './wide-market.js';

/**
 * The api over a wide market: tables, log, reader and HTTP are the real ones. On `start` a block comes every so often, and the
 * tables are written every few blocks, as at the head of a chain.
 */
const [hotMb, tokens, blocks, trades, blockMs, minutes] = process.argv.slice(2).map(Number) as [
  ...[number, number, number, number, number, number],
];
/** Blocks between two writes into the tables. */
const WRITE_EVERY = 4;
const BATCH = 200;

const chain = chainSpec('eth')!;
const wide = new WideMarket({
  coin: chain.wrappedNative.token,
  rules: chain.priceRules,
  ...{ tokens, tradesPerBlock: trades, blockMs: 12_000, wallets: 20_000 },
});
const upcoming = Math.ceil((minutes * 60_000) / blockMs);
const facts = [wide.opening(), wide.first(), ...Array.from({ length: blocks + upcoming }, () => wide.next())];
const { store, dispose } = await temporaryStore();
const live = await LiveMarket.open(facts);
const sink = await SteppedSink.create(store, facts, 1);
const aborted = new AbortController();
const ends: (() => Promise<unknown>)[] = [() => live.close(), dispose];
const stop = stopWithUs(async () => {
  aborted.abort();
  for (const end of ends) await end();
});
process.on('SIGTERM', () => void stop().then(() => process.exit(0)));

for (let seq = 1; seq <= blocks + 1; seq += BATCH) {
  const last = Math.min(seq + BATCH - 1, blocks + 1);
  await live.publish(last);
  await sink.writeTo(last);
}
await sink.flip();
const quiet = { info: () => undefined, warn: () => undefined, error: (fields: object) => console.error(fields) };
const reader = createChainReader({
  ...{ chain, log: live.log, source: storeSource(store, 'eth'), logger: quiet, pollMs: 500, keepGroups: 16 },
  hot: hotLimits(hotMb * 1024 * 1024),
});
const running = reader.run(aborted.signal);
const api = await createApi({
  config: { bind: '127.0.0.1', port: 0 },
  readers: new Map([['eth', reader]]),
  ...{ log: live.log, accounts: null, cursorKey: randomBytes(32), logger: quiet, version: 'bench' },
});
ends.unshift(
  () => api.close(),
  () => running,
);
while (!reader.status().ready) await new Promise((resolve) => setTimeout(resolve, 20));

let moving = false;
async function move(): Promise<void> {
  let seq = live.lastSeq;
  for (let due = performance.now(); seq + 1 < facts.length && !aborted.signal.aborted; due += blockMs) {
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
    await live.publish(++seq);
    if (seq % WRITE_EVERY !== 0) continue;
    await sink.writeTo(seq);
    reader.checkNow();
  }
}

let before = process.cpuUsage();
process.on('message', (message: 'start' | 'use' | 'cpu') => {
  if (message === 'cpu') {
    process.send!({ cpu: process.cpuUsage() });
    return;
  }
  if (message === 'start') {
    if (!moving) void move();
    moving = true;
    return;
  }
  const { user, system } = process.cpuUsage(before);
  before = process.cpuUsage();
  process.send!({ cpuMicros: user + system, rss: process.memoryUsage.rss(), ...reader.status() });
});
process.send!({ port: Number(new URL(api.url).port), tokens: wide.byTurnover() });
