import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import { encodeFactsGroup } from '#libs/pipeline/projections/facts-codec.js';
import { CHANGES_A_COMMIT, type KeyedState } from '#libs/pipeline/state/keyed-state.js';
import { openLmdbState } from '#libs/pipeline/state/lmdb/lmdb-store.js';
import { RecordPacker } from '#libs/pipeline/state/packed-records.js';
import type { Space } from '#libs/pipeline/state/space.js';
import { decodeBlocksGroup, encodeBlocksGroup } from '#libs/protocol/codec/blocks-codec.js';
import { groupHash } from '#libs/protocol/codec/group-hash.js';
import {
  applyTraffic,
  balanceAt,
  balanceKey,
  balances,
  KEYS_A_TRADE,
  type MarketSize,
  marketSpaces,
  poolAt,
  poolKey,
  pools,
  type Traffic,
  tokenAt,
  tokenKey,
  tokens,
  trafficOf,
} from './state-market.js';
import { syntheticBlock, syntheticFacts } from './synthetic-groups.js';

/** One process of bench/state: `load` fills a store, `run` applies blocks and is killed, `restart` continues from it. */
export interface StateRunInput {
  mode: 'load' | 'run' | 'restart';
  dir: string;
  size: MarketSize;
  blocks: number;
  trades: number;
  cacheEntries: number;
  codec: boolean;
  warm: boolean;
}

export interface StateRunResult {
  seconds: number;
  /** Of all threads. */
  cpuSeconds: number;
  keys: number;
  rssAnonMb: number;
  longestTurnMs: number;
  /** The commits alone: their number, and how long the run waited for them. */
  commits: number;
  waitedSeconds: number;
  cached: number;
  /** restart: from the start of the process. */
  servingMs: number;
  refolded: number;
}

const CHUNK_BYTES = 4 * 1024 * 1024;
/** Blocks between the newest and the sealed one. */
const UNSEALED = 64;
/** A commit begins at so many blocks too: a start folds those again. */
const COMMIT_BLOCKS = 250;
/** A warming-up, which is not measured. */
const UNMEASURED = 0.2;
const KEPT_TRAFFIC = 8;
/** Blocks whose drawing is measured on its own, to be left out. */
const SAMPLE_BLOCKS = 20;

const input = JSON.parse(process.argv[2]!) as StateRunInput;
const result: StateRunResult = {
  ...{ seconds: 0, cpuSeconds: 0, keys: 0, rssAnonMb: 0, longestTurnMs: 0, commits: 0 },
  ...{ waitedSeconds: 0, cached: 0, servingMs: 0, refolded: 0 },
};

const rssAnonMb = (): number =>
  Number(/^RssAnon:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))![1]) / 1024;
const notePeak = (): void => {
  result.rssAnonMb = Math.max(result.rssAnonMb, rssAnonMb());
};
const cpuSince = (before: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
};
const heightOf = (seq: number): number => 1_000_000 + seq;
const positionOf = (seq: number) => ({ seq, height: heightOf(seq), hash: seq.toString(16).padStart(64, '0') });
/** Each block's traffic follows from its seq alone. */
const trafficAt = (seq: number): Traffic => trafficOf(new SeededRandom(seq), input.trades, input.size);

const opened = performance.now();
const state = await openLmdbState(marketSpaces, { dir: input.dir, cacheEntries: input.cacheEntries });
if (input.mode === 'load') await load(state);
else await apply(state);
process.stdout.write(`${JSON.stringify(result)}\n`);
if (input.mode === 'load') await state.close();
// As in life: nothing is closed.
else process.kill(process.pid, 'SIGKILL');

async function load(target: KeyedState): Promise<void> {
  const { size } = input;
  await fill(target, pools, size.pools, (at) => [poolKey(at, size), poolAt(at, size)]);
  await fill(target, tokens, size.tokens, (at) => [tokenKey(at, size), tokenAt(at, size)]);
  await fill(target, balances, size.balances, (at) => [balanceKey(at, size), balanceAt(at)]);
  await target.load([], positionOf(0));
  result.seconds = (performance.now() - opened) / 1000;
  notePeak();
}

async function fill<V>(target: KeyedState, space: Space<V>, count: number, entry: (at: number) => [string, V]) {
  const index = target.declared.indexOf(space as Space<unknown>);
  const packer = new RecordPacker(CHUNK_BYTES);
  for (let at = 0; at < count; at++) {
    const [key, value] = entry(at);
    const bytes = space.encode(value);
    if (!packer.fits(key, bytes)) await target.load([packer.take()], null);
    packer.add(index, key, bytes);
  }
  await target.load([packer.take()], null);
}

/** Blocks from the committed position on: prefetch of the next while one is folded, seals behind it, commits when due. */
async function apply(target: KeyedState): Promise<void> {
  const from = target.committed!.seq + 1;
  const work = groupWork(input.codec ? input.trades : 0);
  const last = input.mode === 'run' ? from + input.blocks - 1 : input.blocks;
  const measuredFrom = input.mode === 'run' ? from + Math.floor(input.blocks * UNMEASURED) : from;
  const turns = monitorEventLoopDelay({ resolution: 1 });
  let committing: Promise<void> | null = null;
  let lastCommit = from;
  // Keys are drawn ahead and in bulk, outside of what is measured: in life they come out of the log.
  const ahead = new Map<number, { traffic: Traffic; warm: Promise<unknown> }>();
  let spentOutside = 0;
  const draw = (seq: number): void => {
    if (seq > last || ahead.has(seq)) return;
    const at = performance.now();
    const traffic = trafficAt(seq);
    spentOutside += performance.now() - at;
    ahead.set(seq, { traffic, warm: input.warm ? warmAll(target, traffic) : Promise.resolve() });
  };
  let started = performance.now();
  let cpuBefore = process.cpuUsage();
  for (let seq = from; seq <= last; seq++) {
    if (seq === measuredFrom) {
      started = performance.now();
      cpuBefore = process.cpuUsage();
      spentOutside = 0;
      result.waitedSeconds = 0;
      result.commits = 0;
      turns.enable();
    }
    for (let next = seq; next < seq + KEPT_TRAFFIC; next++) {
      if (!ahead.has(next)) {
        draw(next);
        await nextTurn();
      }
    }
    const { traffic, warm } = ahead.get(seq)!;
    ahead.delete(seq);
    await warm;
    work.decode();
    await nextTurn();
    target.beginBlock(positionOf(seq));
    applyTraffic(target, traffic, seq);
    target.endBlock();
    target.seal(heightOf(seq - UNSEALED));
    const due = target.sealedKeys >= CHANGES_A_COMMIT || seq - lastCommit >= COMMIT_BLOCKS;
    if (due && committing === null) {
      lastCommit = seq;
      result.commits++;
      committing = target.commit().finally(() => {
        committing = null;
      });
    }
    if (target.sealedKeys >= 2 * CHANGES_A_COMMIT && committing !== null) {
      const waiting = performance.now();
      await committing;
      result.waitedSeconds += (performance.now() - waiting) / 1000;
    }
    await nextTurn();
    work.encode();
    if (seq % 16 === 0) notePeak();
    if (seq >= measuredFrom) result.keys += input.trades * KEYS_A_TRADE;
    await nextTurn();
  }
  notePeak();
  result.seconds = (performance.now() - started - spentOutside) / 1000;
  const cpu = cpuSince(cpuBefore);
  await committing;
  const drawn = process.cpuUsage();
  for (let seq = 0; seq < SAMPLE_BLOCKS; seq++) trafficAt(seq);
  result.cpuSeconds = cpu - ((last - measuredFrom + 1) * cpuSince(drawn)) / SAMPLE_BLOCKS;
  result.longestTurnMs = turns.max / 1e6;
  result.cached = target.counts.cached;
  result.refolded = last - from + 1;
  result.servingMs = performance.timeOrigin + performance.now() - Number(process.env.STATE_RUN_STARTED);
}

/** What the fold's stage does for a block of so many trades, in turns of its own: decode its group and hash it, encode its facts. */
function groupWork(trades: number): { decode(): void; encode(): void } {
  const block = syntheticBlock(1);
  const group = encodeBlocksGroup(block);
  const facts = syntheticFacts(block);
  const times = Math.round(trades / facts.trades.length);
  return {
    decode() {
      for (let each = 0; each < times; each++) {
        decodeBlocksGroup(group);
        groupHash(group);
      }
    },
    encode() {
      for (let each = 0; each < times; each++) encodeFactsGroup(facts);
    },
  };
}

function warmAll(target: KeyedState, traffic: Traffic): Promise<unknown> {
  return Promise.all([
    target.warm(pools as unknown as Space<never>, traffic.pools),
    target.warm(tokens as unknown as Space<never>, traffic.tokens),
    target.warm(balances as unknown as Space<never>, traffic.balances),
  ]);
}
