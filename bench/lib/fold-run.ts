import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { defaultCommits, StateCommits } from '#apps/ingest/src/project/state-commits.js';
import { ChainFold } from '#libs/pipeline/fold/chain-fold.js';
import { FOLD_CACHE_ENTRIES, foldSpaces } from '#libs/pipeline/fold/fold-spaces.js';
import { encodeFactsGroup } from '#libs/pipeline/projections/facts-codec.js';
import { LmdbHome } from '#libs/pipeline/state/lmdb/lmdb-home.js';
import type { BlocksGroup } from '#libs/protocol/blocks.js';
import { FoldMarket, type FoldMarketSize } from './fold-market.js';

/** One side of bench/fold, in a process of its own: builds the market and folds traffic, or continues after a kill. */
export interface FoldRunInput {
  mode: 'run' | 'restart';
  dir: string;
  size: FoldMarketSize;
  blocks: number;
}

export interface FoldRunResult {
  buildSeconds: number;
  /** Trades of the traffic a second of the processor, all threads. */
  tradesPerCpuSecond: number;
  rssAnonMb: number;
  longestTurnMs: number;
  /** From the start of the process until the first block was folded. */
  servingMs: number;
}

/** Blocks of traffic before the measured ones. */
const WARMING = 0.2;
const input = JSON.parse(process.argv[2]!) as FoldRunInput;
const result: FoldRunResult = {
  ...{ buildSeconds: 0, tradesPerCpuSecond: 0, rssAnonMb: 0, longestTurnMs: 0, servingMs: 0 },
};

const state = await new LmdbHome(input.dir, foldSpaces).open({ cacheEntries: FOLD_CACHE_ENTRIES });
const fold = ChainFold.over(state);
const commits = new StateCommits(defaultCommits);
const market = new FoldMarket(input.size, fold.position?.seq, fold.position?.height);

if (input.mode === 'run') {
  fold.apply(market.epoch(), '');
  const started = performance.now();
  while (!market.isBuilt) await apply(market.building());
  result.buildSeconds = (performance.now() - started) / 1000;
  const turns = monitorEventLoopDelay({ resolution: 1 });
  for (let n = 0; n < input.blocks * WARMING; n++) await apply(market.traffic());
  turns.enable();
  const before = process.cpuUsage();
  for (let n = 0; n < input.blocks; n++) await apply(market.traffic());
  const { user, system } = process.cpuUsage(before);
  result.tradesPerCpuSecond = (input.blocks * input.size.trades * 1e6) / (user + system);
  result.longestTurnMs = turns.max / 1e6;
  await commits.commitNow(state);
} else {
  await apply(market.traffic());
  result.servingMs = performance.timeOrigin + performance.now() - Number(process.env.FOLD_RUN_STARTED);
}
result.rssAnonMb = rssAnonMb();
process.stdout.write(`${JSON.stringify(result)}\n`);
// As in life: nothing is closed.
process.kill(process.pid, 'SIGKILL');

async function apply(group: BlocksGroup): Promise<void> {
  await fold.readAhead([group]);
  encodeFactsGroup(fold.apply(group, ''));
  commits.note(group);
  const seal = market.seal();
  if (seal !== null) encodeFactsGroup(fold.apply(seal, ''));
  await commits.beginWhenDue(state);
  await nextTurn();
}

function rssAnonMb(): number {
  return Number(/^RssAnon:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))![1]) / 1024;
}
