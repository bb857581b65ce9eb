import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countedCalls } from '#libs/devkit/testing/counted-calls.js';
import { runFold } from '#libs/devkit/testing/histories/fold-driver.js';
import { randomHistory } from '#libs/devkit/testing/histories/random-history.js';
import { type PlainPools, poolsOfBook, poolsOfFold } from '#libs/devkit/testing/pools/book-state.js';
import { until } from '#libs/devkit/testing/until.js';
import { openEmbeddedLog } from '#libs/pipeline/event-log/embedded/embedded-log.js';
import type { Append, EventLog, LogWriter } from '#libs/pipeline/event-log/log.js';
import { encodeFactsGroup } from '#libs/pipeline/projections/facts-codec.js';
import type { BlocksGroup } from '#libs/protocol/blocks.js';
import { encodeBlocksGroup } from '#libs/protocol/codec/blocks-codec.js';
import { encodePoolCopy, encodePoolMark } from '#libs/protocol/codec/pool-copy-codec.js';
import type { FactsGroup } from '#libs/protocol/facts.js';
import { blocksTopic, epochsTopic, factsTopic, poolsTopic } from '#libs/protocol/topics.js';
import { createPoolFollower, type PoolFollower } from './pool-follower.js';

const FOLD = 2;

let dir: string;
let log: EventLog;
let writer: LogWriter;
let followers: { stop(): Promise<void> }[] = [];
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tidepool-follower-'));
  log = await openEmbeddedLog({ dir });
  writer = await log.openWriter('test');
});
afterEach(async () => {
  for (const each of followers) await each.stop();
  followers = [];
  await log.close();
  rmSync(dir, { recursive: true, force: true });
});

interface Epoch {
  number: number;
  groups: BlocksGroup[];
  facts: FactsGroup[];
  states: PlainPools[];
}

function epoch(number: number, seed: number, groups = 60): Epoch {
  const history = randomHistory(seed, { chain: 'eth', groups, epoch: number, retractions: 0.05 });
  const states: PlainPools[] = [];
  const { facts } = runFold(history.groups, ({ fold }) => states.push(poolsOfFold(fold)));
  return { number, groups: history.groups, facts, states };
}

/** Appends groups [from, to) of an epoch to blocks and facts. */
async function publish({ number, groups, facts }: Epoch, from: number, to: number): Promise<void> {
  const topics = { blocks: blocksTopic('eth', number), facts: factsTopic('eth', number, FOLD) };
  await log.ensureTopics([topics.blocks, topics.facts]);
  const records = facts.slice(from, to).flatMap((group, at): Append[] => [
    { topic: topics.blocks, seq: group.seq, value: encodeBlocksGroup(groups[from + at]!) },
    { topic: topics.facts, seq: group.seq, value: encodeFactsGroup(group) },
  ]);
  await writer.append(records);
}

async function serve(number: number): Promise<void> {
  await log.ensureTopics([epochsTopic]);
  const value = Buffer.from(JSON.stringify({ epoch: number, foldVersion: FOLD }));
  await writer.append([{ topic: epochsTopic, key: 'eth', value }]);
}

interface Started {
  follower: PoolFollower;
  running: Promise<void>;
  /** How often the served epoch was read. */
  looks(): number;
  /** How often reading pools or facts failed and is tried again. */
  retries(): number;
  stop(): Promise<void>;
}

function start(errors: unknown[] = []): Started {
  const nothing = (): void => undefined;
  let retries = 0;
  const logger = { info: nothing, warn: () => void retries++, error: (fields: object) => errors.push(fields) };
  const counted = countedCalls(log);
  const follower = createPoolFollower({ chain: 'eth', log: counted.object, logger, pollMs: 10 });
  const stop = new AbortController();
  const running = follower.run(stop.signal);
  running.catch(nothing);
  const started = {
    follower,
    running,
    looks: () => counted.calls('readCompacted'),
    retries: () => retries,
    stop: () => {
      stop.abort();
      return running.catch(nothing);
    },
  };
  followers.push(started);
  return started;
}

describe('a follower of pools', () => {
  it('waits for an epoch, shows no book that is half read, and follows', async () => {
    const one = epoch(1, 11);
    const { follower, looks } = start();
    expect(follower.name).toBe('pools.eth');
    await until('some looks', () => looks() > 3);
    expect(follower.book()).toBeNull();
    expect(follower.head()).toBeNull();
    await publish(one, 0, 40);
    await serve(1);
    const seqs: number[] = [];
    follower.onGroup((facts) => seqs.push(facts.seq));
    await until('a book', () => follower.book() !== null);
    expect(follower.book()!.seq).toBe(39);
    expect(poolsOfBook(follower.book()!)).toEqual(one.states[39]);
    expect(seqs).toEqual([]);
    await publish(one, 40, 61);
    await until('the end', () => follower.book()!.seq === 60);
    expect(poolsOfBook(follower.book()!)).toEqual(one.states[60]);
    expect(seqs).toEqual(Array.from({ length: 21 }, (_, at) => 40 + at));
    expect(follower.status()).toMatchObject({ ready: true, epoch: 1, foldVersion: FOLD, seq: 60 });
  });

  it('tells listeners in the turn of the group, whatever one of them throws', async () => {
    const one = epoch(1, 12);
    await publish(one, 0, 30);
    await serve(1);
    const errors: unknown[] = [];
    const { follower } = start(errors);
    await until('a book', () => follower.book() !== null);
    const received: [number, number][] = [];
    follower.onGroup(() => {
      throw new Error('mine');
    });
    const listener = (facts: FactsGroup): void => void received.push([facts.seq, follower.book()!.seq]);
    const end = follower.onGroup(listener);
    await publish(one, 30, 33);
    await until('three groups', () => received.length === 3);
    end();
    await publish(one, 33, 35);
    await until('two more', () => follower.book()!.seq === 34);
    expect(received).toEqual([
      [30, 30],
      [31, 31],
      [32, 32],
    ]);
    expect(errors).toHaveLength(5);
  });

  it('says how the source saw the head', async () => {
    const one = epoch(1, 13, 80);
    await serve(1);
    const { follower } = start();
    const wanted = new Set(['stream', 'http']);
    for (let seq = 0; seq < one.groups.length; seq++) {
      await publish(one, seq, seq + 1);
      const group = one.groups[seq]!;
      if (group.kind !== 'block') continue;
      const source = group.source === 'stream' ? 'stream' : 'http';
      const { height, hash, time, observedAt } = group;
      const expected = JSON.stringify({ height, hash, time, source, observedAt });
      await until(`head ${expected}`, () => JSON.stringify(follower.head()) === expected);
      wanted.delete(source);
    }
    expect([...wanted]).toEqual([]);
  });

  it('builds the book of a new epoch next to the old one and swaps', async () => {
    const one = epoch(1, 14);
    const two = epoch(2, 15, 120);
    await publish(one, 0, 61);
    await serve(1);
    const { follower } = start();
    await until('a book', () => follower.book() !== null);
    const old = follower.book()!;
    const seen = new Set<unknown>();
    const watch = setInterval(() => {
      const book = follower.book()!;
      seen.add(book);
      // Never less than what it had when it was begun.
      if (book !== old && book.seq < 100) seen.add('half');
    }, 0);
    await publish(two, 0, 101);
    await serve(2);
    await until('the new book', () => follower.status().epoch === 2);
    await publish(two, 101, 121);
    await until('its end', () => follower.book()!.seq === 120);
    clearInterval(watch);
    expect(poolsOfBook(follower.book()!)).toEqual(two.states[120]);
    expect(poolsOfBook(old)).toEqual(one.states[60]);
    expect([...seen].includes('half')).toBe(false);
    expect(seen.has(null)).toBe(false);
  });

  it('gives the book up and ends when the log is broken, or when the copies are ahead of facts', async () => {
    const one = epoch(1, 16);
    await publish(one, 0, 20);
    await serve(1);
    const { follower, running } = start();
    await until('a book', () => follower.book() !== null);
    await writer.append([{ topic: factsTopic('eth', 1, FOLD), seq: 20, value: encodeFactsGroup(one.facts[7]!) }]);
    await expect(running).rejects.toMatchObject({ code: 'log_broken' });
    expect(follower.book()).toBeNull();

    const pools = poolsTopic('eth', 1, FOLD);
    const mark = { seq: 30, height: 1, hash: '00', time: 0 };
    await log.ensureTopics([pools]);
    await writer.append([{ topic: pools, key: '@', value: encodePoolMark(mark) }]);
    await expect(start().running).rejects.toThrow('reaches seq 30');
    await writer.append([{ topic: pools, key: '@', value: encodePoolMark({ ...mark, seq: 3 }) }]);
    await writer.append([{ topic: pools, key: 'ab', value: Buffer.from('x') }]);
    await expect(start().running).rejects.toMatchObject({ code: 'undecodable' });
  });

  it('asks again while a copy lacks a part or facts begin above the copies', async () => {
    const one = epoch(1, 17);
    await publish(one, 0, 61);
    const pools = poolsTopic('eth', 1, FOLD);
    await log.ensureTopics([pools]);
    await serve(1);
    await log.truncate(factsTopic('eth', 1, FOLD), 41);
    const { follower, retries, stop } = start();
    await until('two attempts', () => retries() >= 2);
    expect(follower.status()).toMatchObject({ ready: false, epoch: 1 });
    const parts = one.states[50]!.flatMap((pool) => encodePoolCopy({ seq: 50, ...pool }, 30));
    const { height, hash, time } = one.facts[50]!;
    const mark = { topic: pools, key: '@', value: encodePoolMark({ seq: 50, height, hash, time }) };
    const lost = parts.find(({ key }) => key.endsWith('/1'))!;
    await writer.append([...parts.filter((part) => part !== lost).map((part) => ({ topic: pools, ...part })), mark]);
    // The attempt under way may have begun before.
    const before = retries();
    await until('two more attempts', () => retries() >= before + 2);
    expect(follower.book()).toBeNull();
    await writer.append([{ topic: pools, ...lost }]);
    await until('a book', () => follower.book() !== null);
    expect(poolsOfBook(follower.book()!)).toEqual(one.states[60]);
    await stop();
    expect(follower.book()).toBeNull();
  });
});
