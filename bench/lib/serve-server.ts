import 'reflect-metadata';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { BlocksGroup } from '#libs/protocol/blocks.js';
import { openHeadProgram } from './head-program.js';
import { LargeMarket, type LargeMarketSize } from './large-market.js';
import { RecordedQueries, type RecordedQuery } from './recorded-queries.js';

/**
 * The program over a large market. Fills its folder from the market's blocks through fold and sink, or continues one that is filled. On
 * `start` blocks come as at the head of a chain.
 */
export interface ServeInput {
  dir: string;
  hotMb: number;
  size: Omit<LargeMarketSize, 'startTime'>;
  /** Of a block at the head. */
  headTrades: number;
}

/** Of an answer: what the store was asked for it, and how long the same takes without the program around it. */
export interface SqlTimes {
  path: string;
  queries: number;
  ms: number[];
}

export type ToServeServer = 'start' | 'use' | 'cpu' | { paths: readonly string[] };

const input = JSON.parse(process.argv[2]!) as ServeInput;
const PER_APPEND = 20;
/** Blocks that the log may be ahead of the tables. */
const AHEAD = 400;
const SEAL_EVERY = 8;
const REPEATS = 5;

const market = new LargeMarket({ ...input.size, startTime: startTime() });
const { size } = input;
const groups = blocks();
const epoch = market.epoch();
const program = await openHeadProgram({ dir: input.dir, reference: epoch.reference, hotMb: input.hotMb });
const recorded = new RecordedQueries(program.store);
program.startIngest();
await fill();
const api = await program.serve({ accounts: null });

let moving = false;
let before = process.cpuUsage();
process.on('message', (message: ToServeServer) => {
  if (message === 'start') {
    if (!moving) void move();
    moving = true;
  } else if (message === 'cpu') process.send!({ cpu: process.cpuUsage() });
  else if (message === 'use') {
    const { user, system } = process.cpuUsage(before);
    before = process.cpuUsage();
    process.send!({ cpuMicros: user + system, rss: process.memoryUsage.rss(), ...program.reader.status() });
  } else void sqlOf(message.paths).then((times) => process.send!(times));
});
process.send!({ port: Number(new URL(api.url).port) });

/** A folder that is continued keeps the times of its blocks. */
function startTime(): number {
  const file = join(input.dir, 'market.json');
  if (!existsSync(file)) {
    const market = { ...input.size, startTime: Date.now() - input.size.history * input.size.blockMs };
    writeFileSync(file, JSON.stringify(market));
  }
  const { startTime, ...kept } = JSON.parse(readFileSync(file, 'utf8')) as LargeMarketSize;
  if (JSON.stringify(kept) !== JSON.stringify(input.size))
    throw new Error(`${input.dir} holds another market: ${JSON.stringify(kept)}`);
  return startTime;
}

/** Pools, then trades, then the head without an end. */
function* blocks(): Generator<BlocksGroup, never> {
  yield epoch;
  let count = 0;
  for (;;) {
    const trades = count++ < size.history ? size.trades : input.headTrades;
    yield market.isBuilt ? market.trades(trades) : market.building();
    if (count % SEAL_EVERY !== 0) continue;
    const seal = market.seal();
    if (seal !== null) yield seal;
  }
}

/** Blocks that the log has already are made again, and no more. */
async function fill(): Promise<void> {
  const last = Math.floor(size.history * (1 + 1 / SEAL_EVERY));
  let open: BlocksGroup[] = [];
  let said = 0;
  for (let made = 0, seq = -1; made < size.history || seq < program.lastSeq; ) {
    const { value } = groups.next();
    seq = value.seq;
    if (value.kind === 'block') made++;
    if (seq <= program.lastSeq) continue;
    open.push(value);
    if (open.length < PER_APPEND) continue;
    await program.append(open);
    open = [];
    while (program.lastSeq - program.written > AHEAD) await delay(20);
    const done = Math.floor((20 * program.written) / last);
    if (done > said) console.error(`filled ${5 * done} %`);
    said = Math.max(said, done);
  }
  if (open.length > 0) await program.append(open);
}

async function move(): Promise<void> {
  for (let due = performance.now(); ; due += size.headBlockMs) {
    await delay(Math.max(0, due - performance.now()));
    await program.append([groups.next().value]);
  }
}

async function sqlOf(paths: readonly string[]): Promise<SqlTimes[]> {
  const found: SqlTimes[] = [];
  for (const path of paths) {
    recorded.start();
    await (await fetch(`${api.url}${path}`)).arrayBuffer();
    const queries: readonly RecordedQuery[] = recorded.take();
    const ms: number[] = [];
    for (let n = 0; n < REPEATS; n++) ms.push(await recorded.again(queries));
    found.push({ path, queries: queries.length, ms });
  }
  return found;
}
