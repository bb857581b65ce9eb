import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { survivors } from '#apps/ingest/src/source/test/log-checks.js';
import type { Hex } from '#libs/core/ids.js';
import { openEmbeddedLog } from '#libs/event-log/embedded/embedded-log.js';
import type { EventLog } from '#libs/event-log/log.js';
import { exportTopic, importTopic } from '#libs/event-log/transfer.js';
import { foldVersion } from '#libs/fold/fold-version.js';
import { decodeFactsGroup } from '#libs/projections/facts-codec.js';
import { standings, type TokenHolders } from '#libs/projections/holders/projection.js';
import type { BlockGroup, BlocksGroup } from '#libs/protocol/blocks.js';
import { blocksTopic, factsTopic } from '#libs/protocol/topics.js';
import { replayTables } from '#libs/sink/replay.js';
import { storeTables } from '#libs/sink/sink-tables.js';
import type { Checkpoint } from '#libs/store/market/checkpoint.js';
import { MarketTables } from '#libs/store/market/market-tables.js';
import { retractionsPastSeal } from '#libs/testing/histories/random-history.js';
import { testScale as scale, testSeed } from '#libs/testing/seeded-random.js';
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
  for (let n = 0; n < 200 && source.sealed <= sealed; n++) await delay(10);
  proxy.faults.finalizedTip = false;
  market.fork(27);
}

/** The newest row of each token in the facts of a log. */
async function holdersIn(log: EventLog): Promise<Map<Hex, TokenHolders>> {
  const newest = new Map<Hex, TokenHolders>();
  const { signal } = new AbortController();
  const topic = factsTopic('sol', EPOCH, foldVersion);
  for await (const batch of log.readGroups(topic, { fromSeq: 0, signal, untilEnd: true })) {
    for (const { value } of batch) {
      const facts = decodeFactsGroup(value);
      if (facts.kind !== 'block' && facts.kind !== 'retract') continue;
      for (const row of facts.tokenHolders ?? []) newest.set(row.token, row);
    }
  }
  return newest;
}

/** What does not depend on the supply that the node stated when it was asked; all of a row where that was the same. */
function comparable(rows: ReadonlyMap<Hex, TokenHolders>, others: ReadonlyMap<Hex, TokenHolders>): TokenHolders[] {
  return [...rows.values()]
    .filter(({ minted, recorded, holders, standing }) => minted > 0n || recorded > 0n || holders > 0 || standing > 0)
    .sort((a, b) => (a.token < b.token ? -1 : 1))
    .map((row) => {
      if (row.recorded === others.get(row.token)?.recorded) return row;
      const broken = standings[row.standing] === 'broken';
      return { ...row, recorded: -1n, standing: broken ? row.standing : -1 };
    });
}

/** The tables that a log leaves, however it came to be. */
async function outcome(
  name: string,
  groups: readonly BlocksGroup[],
): Promise<{ hashes: Record<string, string>; holders: Map<Hex, TokenHolders> }> {
  const log = await openEmbeddedLog({ dir: join(pipeline.dir, name) });
  try {
    await publishHistory(log, groups);
    await projectAll(log, 'sol');
    const sealTo = Math.max(...groups.map(({ time }) => time)) + 40 * 86_400_000;
    const checkpoint = await sinkAll(log, pipeline.store, 'sol', ++generations, { sealTo, maxGroups: 40 });
    const hashes = await hashesOf(pipeline.store, 'sol', checkpoint, { ignoreSeq: true });
    await new MarketTables(pipeline.store, 'sol', checkpoint.generation).drop();
    return { hashes, holders: await holdersIn(log) };
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
      // The supply is in the table of tokens, whose other columns are compared above, and in that of their holders.
      const [one, other] = [await outcome('calm', calm), await outcome('forked', forked)];
      const { tokens: _, token_holders: __, ...expected } = one.hashes;
      const { tokens: ___, token_holders: ____, ...found } = other.hashes;
      expect(found).toEqual(expected);
      const holders = comparable(one.holders, other.holders);
      expect(comparable(other.holders, one.holders)).toEqual(holders);
      expect(holders.filter(({ recorded }) => recorded > 0n).length).toBeGreaterThan(0);
    },
    LIMIT_MS,
  );
});
