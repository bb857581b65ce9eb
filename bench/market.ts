import { monitorEventLoopDelay } from 'node:perf_hooks';
import { chainSpec } from '#libs/chain/catalogue/catalogue.js';
import { temporaryStore } from '#libs/devkit/testing/market/market-harness.js';
import { foldVersion } from '#libs/pipeline/fold/fold-version.js';
import { type Checkpoint, emptyCheckpoint } from '#libs/pipeline/store/market/checkpoint.js';
import { MarketTables } from '#libs/pipeline/store/market/market-tables.js';
import { marketReads } from '#libs/pipeline/store/market/reads.js';
import { encodeTables } from '#libs/pipeline/store/test/row-encoder.js';
import type { FactsGroup } from '#libs/protocol/facts.js';
import { viewAt } from '#libs/serve/reader/chain-view.js';
import { MarketStates } from '#libs/serve/reader/market-state.js';
import { readMarket } from '#libs/serve/reader/read-market.js';
import { readToken } from '#libs/serve/reader/read-token.js';
import { Session } from '#libs/serve/reader/session.js';
import { benchOptions } from './lib/options.js';
import { percentile } from './lib/percentiles.js';
import { printTable } from './lib/table.js';
import { WideMarket } from './lib/wide-market.js';

/**
 * bench/market: how long a list over all tokens of a chain takes to read: the first time, then again after each new block
 * (what was sealed is kept), compared with the cost of one token on its own. The tables hold two days by default.
 *
 * Run: `UV_THREADPOOL_SIZE=16 node dist/bench/market.js [--tokens 20000] [--blocks 14400] [--trades 40] [--refreshes 20]`
 */
const values = benchOptions('market', { tokens: '20000', blocks: '14400', trades: '40', refreshes: '20' });
const [tokens, blocks, trades, refreshes] = [values.tokens, values.blocks, values.trades, values.refreshes].map(
  Number,
) as [...[number, number, number, number]];
const BATCH = 200;
/** Blocks between the sealed one and the checkpoint, as on a chain with finality of two epochs. */
const UNSEALED = 64;

const chain = chainSpec('eth')!;
const market = new WideMarket({
  coin: chain.wrappedNative.token,
  rules: chain.priceRules,
  ...{ tokens, tradesPerBlock: trades, blockMs: 12_000, wallets: 20_000 },
});
const { store, dispose } = await temporaryStore();
try {
  const tables = new MarketTables(store, 'eth', 1);
  await tables.ensure();
  let checkpoint = emptyCheckpoint({ generation: 1, epoch: 1, foldVersion });
  const write = async (groups: FactsGroup[]): Promise<void> => {
    const last = groups[groups.length - 1]!;
    for (const batch of encodeTables(groups)) await tables.insert(batch, `${groups[0]!.seq}-${last.seq}`);
    const { seq, height, hash, time } = last;
    checkpoint = { ...checkpoint, seq, height, hash, time, sealSeq: seq, sealedTime: time - UNSEALED * 12_000 };
  };
  await write([market.opening(), market.first()]);
  for (let done = 0; done < blocks; done += BATCH) {
    await write(Array.from({ length: Math.min(BATCH, blocks - done) }, () => market.next()));
  }
  const reads = marketReads(tables);
  const viewOf = (at: Checkpoint, tail: readonly FactsGroup[]) => {
    const pointer = { version: 1, generation: 1, epoch: 1, foldVersion, seq: at.seq };
    const session = new Session({ pointer, checkpoint: at, reads, maxTailBytes: Number.POSITIVE_INFINITY });
    for (const group of tail) session.tail.push(group, 1);
    return viewAt(chain, session);
  };

  const states = new MarketStates();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const timed = async <T>(work: () => Promise<T>): Promise<[T, number]> => {
    const start = performance.now();
    const result = await work();
    return [result, performance.now() - start];
  };
  const [whole, firstMs] = await timed(() => readMarket(viewOf(checkpoint, []), states));
  if (whole.tokens.size !== tokens + 1) throw new Error(`${whole.tokens.size} tokens were read`);
  delay.enable();
  const again: number[] = [];
  const cpu: number[] = [];
  const cpuMs = () => process.cpuUsage().user / 1000 + process.cpuUsage().system / 1000;
  for (let round = 0; round < refreshes; round++) {
    // One block in the tail, then in the tables: as at the head of a chain.
    const block = market.next();
    const view = viewOf(checkpoint, [block]);
    const before = cpuMs();
    again.push((await timed(() => readMarket(view, states)))[1]);
    cpu.push(cpuMs() - before);
    await write([block]);
  }
  delay.disable();
  const view = viewOf(checkpoint, []);
  const some = [...whole.tokens.keys()].filter((_, index) => index % Math.ceil(whole.tokens.size / 50) === 1);
  const single: number[] = [];
  for (const token of some) single.push((await timed(() => readToken(view, token)))[1]);
  const ms = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
  console.log(`${tokens.toLocaleString()} tokens, ${(blocks * trades).toLocaleString()} trades in the tables`);
  printTable(
    ['read', 'p50', 'p95'],
    [
      ['whole market, first time', ms(firstMs), ''],
      ['whole market, after a new block', ms(percentile(again, 0.5)), ms(percentile(again, 0.95))],
      ['· processor time, engine included', ms(percentile(cpu, 0.5)), ms(percentile(cpu, 0.95))],
      ['· longest turn of the event loop', ms(delay.percentile(99.9) / 1e6), ms(delay.max / 1e6)],
      ['one token on its own', ms(percentile(single, 0.5)), ms(percentile(single, 0.95))],
    ],
  );
} finally {
  await dispose();
}
