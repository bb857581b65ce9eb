import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { survivors } from '#apps/ingest/src/source/test/log-checks.js';
import { retractionsPastSeal } from '#libs/devkit/testing/histories/random-history.js';
import { testScale as scale, testSeed } from '#libs/devkit/testing/seeded-random.js';
import { until } from '#libs/devkit/testing/until.js';
import { openEmbeddedLog } from '#libs/pipeline/event-log/embedded/embedded-log.js';
import { exportTopic, importTopic } from '#libs/pipeline/event-log/transfer.js';
import { replayTables } from '#libs/pipeline/sink/replay.js';
import { storeTables } from '#libs/pipeline/sink/sink-tables.js';
import type { Checkpoint } from '#libs/pipeline/store/market/checkpoint.js';
import { MarketTables } from '#libs/pipeline/store/market/market-tables.js';
import type { BlockGroup, BlocksGroup } from '#libs/protocol/blocks.js';
import { blocksTopic } from '#libs/protocol/topics.js';
import { EPOCH, hashesOf, projectAll, publishHistory, sinkAll } from '../real-pipeline.js';
import { BusyMarket } from './busy-market.js';
import { readTruth } from './chain-truth.js';
import { drawFaults, groupsOf, RestartedSource } from './restarted-source.js';
import { SolanaPipeline } from './solana-pipeline.js';
import { checkAll, checkLog } from './truth-checks.js';

/**
 * Invariants 1 and 2 of docs/architecture.md, and the truth of what is served, on a local Solana chain that forks, skips
 * slots and is read through a node that fails: the chain itself is the judge.
 */
const seed = testSeed();
const MOVES = Math.max(40, Math.round(500 * scale));
const LIMIT_MS = 240_000 + MOVES * 4_000;

let market: BusyMarket;
let pipeline: SolanaPipeline;
let generations = 10;

beforeAll(async () => {
  market = await BusyMarket.start(seed, Math.max(40, Math.round(300 * scale)));
  pipeline = await SolanaPipeline.open(market, seed);
}, LIMIT_MS);

afterAll(async () => {
  await pipeline?.close();
  await market?.stop();
}, LIMIT_MS);

/** A node says that all is final, then a fork deeper than that comes. */
async function forkBelowTheSeal(): Promise<void> {
  const { proxy, source } = pipeline;
  Object.assign(proxy.faults, { finalizedTip: true, lagSlots: 0 });
  market.blocks(16);
  await source.caughtUp(market.rpcUrl);
  const sealed = source.sealed;
  market.blocks(14);
  await source.caughtUp(market.rpcUrl);
  await until('a later seal', () => source.sealed > sealed);
  proxy.faults.finalizedTip = false;
  market.fork(27);
}

/** The tables that a log leaves, however it came to be. */
async function outcome(name: string, groups: readonly BlocksGroup[]): Promise<Record<string, string>> {
  const log = await openEmbeddedLog({ dir: join(pipeline.dir, name) });
  try {
    await publishHistory(log, groups);
    await projectAll(log, 'sol');
    const sealTo = Math.max(...groups.map(({ time }) => time)) + 40 * 86_400_000;
    const checkpoint = await sinkAll(log, pipeline.store, 'sol', ++generations, { sealTo, maxGroups: 40 });
    const hashes = await hashesOf(pipeline.store, 'sol', checkpoint, { ignoreSeq: true });
    await new MarketTables(pipeline.store, 'sol', checkpoint.generation).drop();
    return hashes;
  } finally {
    await log.close();
  }
}

/**
 * What a block says, without that which a node can only tell as of the moment of asking: the supply of a token, and who
 * its authorities are, when it is met for the first time.
 */
function said({ height, hash, parentHash, time, txs, pools, tokens, events }: BlockGroup): object {
  const met = new Set(tokens.map(({ token }) => token));
  return {
    ...{ height, hash, parentHash, time, txs, pools },
    tokens: tokens.map(({ totalSupply: _, ...rest }) => rest),
    events: events.map((event) => {
      return event.kind === 'authority' && met.has(event.token) ? { ...event, authority: 'as asked' } : event;
    }),
  };
}

describe(`a local Solana chain and what is served of it (long) (seed ${seed})`, () => {
  it(
    'every trade, transfer, reserve and name is the chain at every quiet point, whatever happened before',
    async () => {
      const { random } = market;
      const { proxy, source } = pipeline;
      await pipeline.quiet();
      await checkAll(pipeline, await readTruth(market.rpcUrl), 3);
      const deep = new Set([Math.floor(MOVES * 0.4), Math.floor(MOVES * 0.8)]);
      for (let n = 0; n < MOVES; n++) {
        if (random.chance(0.15)) drawFaults(random, proxy);
        if (random.chance(0.06)) proxy.cut();
        if (random.chance(0.06)) await source.restart();
        const [rare, surely] = market.rarities[n % 10] ?? [];
        if (deep.has(n)) await forkBelowTheSeal();
        else if (rare !== undefined && market.happened[rare] === undefined) surely!();
        else market.move();
        if (random.chance(0.08)) {
          await pipeline.quiet();
          await checkAll(pipeline, await readTruth(market.rpcUrl), 2);
        } else await delay(random.int(40));
      }
      await pipeline.quiet();
      await checkAll(pipeline, await readTruth(market.rpcUrl), Number.POSITIVE_INFINITY);
      const groups = await groupsOf(pipeline.log);
      expect(groups.filter(({ kind }) => kind === 'retract').length).toBeGreaterThan(0);
      expect(retractionsPastSeal(groups).length).toBeGreaterThan(0);
      const never = market.rarities.map(([name]) => name).filter((name) => market.happened[name] === undefined);
      expect({ seed, never }).toEqual({ seed, never: [] });
    },
    LIMIT_MS,
  );

  it(
    'tables of a replay, and of a log that was exported and imported, are the same row for row',
    async () => {
      await pipeline.rest();
      const { log, store, dir } = pipeline;
      const alike = (checkpoint: Checkpoint) => ({ ...checkpoint, sealSeq: -1, sealedTime: 0 });
      const original = await hashesOf(store, 'sol', alike((await pipeline.checkpoint())!));
      const tables = storeTables(store, 'sol');
      const replayed = await replayTables({ log, tables, chain: 'sol', signal: new AbortController().signal });
      const again = (await tables.generation(replayed.generation).readCheckpoint())!;
      expect(await hashesOf(store, 'sol', alike(again))).toEqual(original);

      const file = join(dir, 'blocks.topic');
      await exportTopic(log, blocksTopic('sol', EPOCH), createWriteStream(file));
      const other = await openEmbeddedLog({ dir: join(dir, 'imported') });
      await importTopic(other, blocksTopic('sol', EPOCH), createReadStream(file));
      await projectAll(other, 'sol');
      const elsewhere = await sinkAll(other, store, 'sol', ++generations, { maxGroups: 50 });
      expect(await hashesOf(store, 'sol', alike(elsewhere))).toEqual(original);
      await other.close();
    },
    LIMIT_MS,
  );

  it(
    'a source that never saw a fork leaves the same blocks, trades, pools and prices',
    async () => {
      const log = await openEmbeddedLog({ dir: join(pipeline.dir, 'fresh-log') });
      const source = new RestartedSource(log, join(pipeline.dir, 'fresh'), [market.rpcUrl]);
      source.start();
      await source.caughtUp(market.rpcUrl);
      await source.stop();
      const [calm, forked] = [await groupsOf(log), await groupsOf(pipeline.log)];
      await log.close();
      expect(calm.some(({ kind }) => kind === 'retract')).toBe(false);
      checkLog(calm, await readTruth(market.rpcUrl));
      expect(survivors(forked).map(said)).toEqual(survivors(calm).map(said));
      // Both logs say the same but for what was asked: with the same answers they leave the same tables.
      const asked = new Map(survivors(forked).map((group) => [group.height, group]));
      const answered = calm.map((group) => {
        if (group.kind !== 'block') return group;
        const { tokens, events } = asked.get(group.height)!;
        return { ...group, tokens, events };
      });
      expect(await outcome('forked', forked)).toEqual(await outcome('calm', answered));
    },
    LIMIT_MS,
  );
});
