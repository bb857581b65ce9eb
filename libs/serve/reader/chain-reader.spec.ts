import { jest } from '@jest/globals';
import { countedCalls } from '#libs/devkit/testing/counted-calls.js';
import { LiveMarket, SteppedSink } from '#libs/devkit/testing/market/live-market.js';
import { type RandomMarket, randomMarket, temporaryStore } from '#libs/devkit/testing/market/market-harness.js';
import { NaiveMarket } from '#libs/devkit/testing/market/naive-market.js';
import { until } from '#libs/devkit/testing/until.js';
import type { AnalyticsStore } from '#libs/pipeline/store/store.js';
import type { FactsGroup } from '#libs/protocol/facts.js';
import { type ChainReader, type ChainReaderDeps, createChainReader } from './chain-reader.js';
import { readTrades } from './read-trades.js';
import { storeSource } from './store-source.js';
import { ChainUnavailableError, StaleViewError } from './unavailable.js';

describe('chain reader', () => {
  let store: AnalyticsStore;
  let dispose: () => Promise<void>;
  let market: RandomMarket;
  let live: LiveMarket;
  const started: { stop: () => Promise<unknown> }[] = [];

  beforeEach(async () => {
    ({ store, dispose } = await temporaryStore());
    market = randomMarket(20261, { groups: 80, retractions: 0.08 });
    live = await LiveMarket.open(market.facts);
  });
  afterEach(async () => {
    await Promise.all(started.splice(0).map(({ stop }) => stop()));
    await live.close();
    await dispose();
  });

  function start(options: Partial<ChainReaderDeps> = {}) {
    const { object: source, calls } = countedCalls(storeSource(store, 'eth'));
    const reader = createChainReader({ chain: market.chain, log: live.log, source, pollMs: 10, ...options });
    const abort = new AbortController();
    const ended = reader.run(abort.signal).then(
      () => null,
      (error: unknown) => error,
    );
    const stop = () => {
      abort.abort();
      return ended;
    };
    started.push({ stop });
    return { reader, ended, stop, looks: () => calls('pointer') };
  }

  const seqOf = (reader: ChainReader) => reader.status().seq;
  const anyToken = (facts: readonly FactsGroup[]) => {
    const trade = facts.flatMap((group) => (group.kind === 'block' ? group.trades : [])).at(-1)!;
    return trade.base;
  };
  const newest = async (reader: ChainReader, token: string) =>
    (await readTrades(reader.view(), { token, limit: 100 })).trades.map(({ tx, txOrdinal, block }) => ({
      tx,
      txOrdinal,
      block,
    }));
  const naiveNewest = (seq: number, token: string) =>
    new NaiveMarket(market.chain, market.facts, seq)
      .trades(token)
      .slice(0, 100)
      .map(({ tx, txOrdinal, block }) => ({ tx, txOrdinal, block }));

  it('cannot be asked before there are tables, then serves without a restart', async () => {
    const { reader } = start();
    expect(() => reader.view()).toThrow(ChainUnavailableError);
    await until(() => reader.status().reason?.includes('no tables yet') === true);
    await live.publish(30);
    const sink = await SteppedSink.create(store, market.facts, 1);
    await sink.writeTo(20);
    await sink.flip();
    await until(() => seqOf(reader) === 30);
    expect(reader.status()).toMatchObject({ ready: true, generation: 1, epoch: 1, checkpointSeq: 20, tailGroups: 10 });
  });

  it('reads no record older than the checkpoint, and shows the tables at once', async () => {
    await live.publish(60);
    const sink = await SteppedSink.create(store, market.facts, 1);
    await sink.writeTo(50);
    await sink.flip();
    const { reader } = start();
    await until(() => seqOf(reader) === 60);
    expect(Math.min(...live.startedAt)).toBe(51);
    const token = anyToken(market.facts.slice(0, 60));
    expect(await newest(reader, token)).toEqual(naiveNewest(60, token));
  });

  it('answers the same before and after each adoption, and adopts nothing ahead of itself', async () => {
    const sink = await SteppedSink.create(store, market.facts, 1);
    await live.publish(5);
    await sink.writeTo(2);
    await sink.flip();
    const { reader, looks } = start();
    const token = anyToken(market.facts);
    for (let seq = 5; seq < market.facts.length; seq += 7) {
      await live.publish(seq);
      await until(() => seqOf(reader) === seq);
      expect(await newest(reader, token)).toEqual(naiveNewest(seq, token));
      await sink.writeTo(seq - 2);
      if (seq % 2 === 0) await sink.seal();
      const { seq: written, step } = sink.checkpoint;
      await until(() => reader.status().checkpointSeq === written);
      expect(step).toBeGreaterThanOrEqual(0);
      expect(await newest(reader, token)).toEqual(naiveNewest(seq, token));
    }
    // Tables ahead of the log that this reader sees: it stays where it is.
    const last = live.lastSeq;
    const { checkpointSeq } = reader.status();
    await sink.writeTo(market.facts.length - 1);
    expect(sink.checkpoint.seq).toBeGreaterThan(last);
    reader.checkNow();
    // The look under way may have begun before; the one after it has ended once a third begins.
    const before = looks();
    await until(() => looks() >= before + 3);
    expect(reader.status()).toMatchObject({ seq: last, checkpointSeq });
    expect(await newest(reader, token)).toEqual(naiveNewest(last, token));
    await live.publish(market.facts.length - 1);
    await until(() => reader.status().checkpointSeq === market.facts.length - 1);
    expect(reader.status().tailGroups).toBe(0);
    expect(await newest(reader, token)).toEqual(naiveNewest(market.facts.length - 1, token));
  });

  it('does not look at its tables again before it is notified or the poll is due', async () => {
    const timers = jest.spyOn(globalThis, 'setTimeout');
    const sink = await SteppedSink.create(store, market.facts, 1);
    await live.publish(30);
    await sink.writeTo(20);
    await sink.flip();
    const pollMs = 100_000_000;
    const { reader, looks } = start({ pollMs });
    const rests = () => timers.mock.calls.filter(([, ms]) => ms === pollMs).length;
    try {
      await until(() => reader.status().ready && rests() === 1);
      const before = looks();
      await live.publish(40);
      await until(() => seqOf(reader) === 40);
      expect({ looks: looks(), rests: rests() }).toEqual({ looks: before, rests: 1 });
      await sink.writeTo(40);
      expect(reader.status().checkpointSeq).toBe(20);
      reader.checkNow();
      await until(() => reader.status().checkpointSeq === 40 && rests() === 2);
      expect(looks()).toBe(before + 1);
    } finally {
      timers.mockRestore();
    }
  });

  it('keeps a bounded tail: past the bound it is unavailable, and comes back when the tables catch up', async () => {
    const sink = await SteppedSink.create(store, market.facts, 1);
    await live.publish(10);
    await sink.writeTo(10);
    await sink.flip();
    const { reader } = start({ maxTailBytes: 3_000 });
    await until(() => reader.status().ready);
    await live.publish(70);
    await until(() => !reader.status().ready);
    expect(reader.status().reason).toContain('too far behind');
    const { tailBytes } = reader.status();
    expect(tailBytes).toBeGreaterThan(3_000);
    // The tables run past what it holds: only a fresh start from their checkpoint helps.
    await sink.writeTo(70);
    await until(() => reader.status().ready && seqOf(reader) === 70);
    const token = anyToken(market.facts.slice(0, 70));
    expect(await newest(reader, token)).toEqual(naiveNewest(70, token));
  });

  it('switches to another generation in one step; pages of the old one can still be asked for', async () => {
    const first = await SteppedSink.create(store, market.facts, 1);
    await live.publish(40);
    await first.writeTo(30);
    await first.flip();
    const { reader } = start();
    await until(() => seqOf(reader) === 40);
    const { pin } = reader.view();
    expect(reader.view(pin).pin).toEqual(pin);
    const second = await SteppedSink.create(store, market.facts, 2);
    await second.writeTo(35);
    await second.flip();
    const seen: (number | null)[] = [];
    await until(() => {
      const { generation, ready, seq } = reader.status();
      expect({ ready, seq }).toEqual({ ready: true, seq: 40 });
      seen.push(generation);
      return generation === 2;
    });
    const token = anyToken(market.facts.slice(0, 40));
    const old = await readTrades(reader.view(pin), { token, limit: 100 });
    expect(old.trades.map(({ tx, txOrdinal, block }) => ({ tx, txOrdinal, block }))).toEqual(naiveNewest(40, token));
    expect(() => reader.view({ ...pin, generation: 3 })).toThrow(StaleViewError);
    expect(await newest(reader, token)).toEqual(naiveNewest(40, token));
  });

  it('refuses a pin whose rows are purged, and one that is ahead of it', async () => {
    const sink = await SteppedSink.create(store, market.facts, 1);
    const retraction = market.facts.find((group) => group.kind === 'retract' && group.seq > 12)!;
    await live.publish(retraction.seq + 2);
    await sink.writeTo(5);
    await sink.flip();
    const { reader } = start();
    await until(() => seqOf(reader) === retraction.seq + 2);
    const { pin } = reader.view();
    const older = { ...pin, seq: retraction.seq - 1 };
    expect(() => reader.view(older)).not.toThrow();
    expect(() => reader.view({ ...pin, seq: pin.seq + 1 })).toThrow(ChainUnavailableError);
    expect(() => reader.view({ ...pin, epoch: 2 })).toThrow(StaleViewError);
    await sink.writeTo(retraction.seq + 1);
    await sink.purge();
    await until(() => reader.status().checkpointSeq === retraction.seq + 1);
    await until(() => {
      try {
        reader.view(older);
        return false;
      } catch (error) {
        return error instanceof StaleViewError;
      }
    });
    expect(() => reader.view(pin)).not.toThrow();
  });

  it('asks a log that does not answer again before the next poll is due', async () => {
    const sink = await SteppedSink.create(store, market.facts, 1);
    await live.publish(10);
    await sink.writeTo(10);
    await sink.flip();
    let failures = 0;
    const log = new Proxy(live.log, {
      get: (target, name) => {
        const value = Reflect.get(target, name);
        if (name !== 'lastGroup') return typeof value === 'function' ? value.bind(target) : value;
        return (...args: unknown[]) =>
          failures++ === 0 ? Promise.reject(new Error('no answer')) : Reflect.apply(value, target, args);
      },
    });
    const { reader } = start({ log, pollMs: 3_600_000 });
    await until(() => reader.status().ready);
    expect(failures).toBeGreaterThan(1);
  });

  it('stops on a log that is broken and never answers from it', async () => {
    const sink = await SteppedSink.create(store, market.facts, 1);
    await live.publish(10);
    await sink.writeTo(10);
    await sink.flip();
    const { reader, ended } = start();
    await until(() => reader.status().ready);
    await live.publishBytes(new Uint8Array([1, 2, 3]));
    expect(await ended).toMatchObject({ code: 'undecodable' });
    expect(() => reader.view()).toThrow(ChainUnavailableError);
  });

  it('continues with what it adopted while its tables do not answer, says so, and recovers', async () => {
    const sink = await SteppedSink.create(store, market.facts, 1);
    await live.publish(10);
    await sink.writeTo(10);
    await sink.flip();
    const source = storeSource(store, 'eth');
    let broken = true;
    const pointer = () => (broken ? Promise.reject(new Error('connection refused')) : source.pointer());
    const { reader, stop } = start({ source: { ...source, pointer } });
    await until(() => reader.status().reason?.includes('do not answer') === true);
    broken = false;
    await until(() => reader.status().ready);
    broken = true;
    await live.publish(20);
    await until(() => reader.status().warning !== null && seqOf(reader) === 20);
    const token = anyToken(market.facts.slice(0, 21));
    expect(await newest(reader, token)).toEqual(naiveNewest(20, token));
    broken = false;
    await until(() => reader.status().warning === null);
    await stop();
    expect(reader.status().ready).toBe(false);
  });

  it('switches to another epoch, whose seqs start again, in one step and not before it is as high', async () => {
    const first = await SteppedSink.create(store, market.facts, 1);
    await live.publish(40);
    await first.writeTo(40);
    await first.flip();
    const { reader, looks } = start();
    await until(() => seqOf(reader) === 40);
    const { pin } = reader.view();
    // It climbs past the first one's head, and no retraction takes it back below.
    const startHeight = pin.height - 40;
    const other = randomMarket(20262, { groups: 120, epoch: 2, startHeight, retractions: 0 });
    const lower = other.facts.findLast(({ kind, height }) => kind === 'block' && height < pin.height - 2)!;
    const beside = await live.withLog(other.facts, 2);
    await beside.publish(lower.seq);
    const second = await SteppedSink.create(store, other.facts, 2, 2);
    await second.writeTo(20);
    await second.flip();
    const looksBefore = looks();
    await until(() => looks() > looksBefore + 20);
    expect(reader.status()).toMatchObject({ epoch: 1, generation: 1, seq: 40, ready: true });
    const as = other.facts.find(
      ({ kind, height, seq }) => kind === 'block' && height === pin.height && seq > lower.seq,
    )!;
    await beside.publish(as.seq);
    await until(() => {
      const { epoch, height, ready } = reader.status();
      expect(ready).toBe(true);
      expect(height).toBeGreaterThanOrEqual(pin.height);
      return epoch === 2;
    });
    expect(reader.view(pin).pin).toEqual(pin);
    expect(() => reader.view({ ...pin, epoch: 3 })).toThrow(StaleViewError);
    await beside.publish(other.facts.length - 1);
    await until(() => seqOf(reader) === other.facts.length - 1);
  });

  it('awaits its step boundaries', async () => {
    const names = new Set<string>();
    await live.publish(10);
    const sink = await SteppedSink.create(store, market.facts, 1);
    await sink.writeTo(5);
    await sink.flip();
    const { reader } = start({
      steps: async (name) => {
        names.add(name);
      },
    });
    await until(() => seqOf(reader) === 10);
    expect([...names].sort()).toEqual(['reader.adopt', 'reader.group']);
  });
});
