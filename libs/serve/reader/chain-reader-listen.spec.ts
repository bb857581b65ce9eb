import { LiveMarket, SteppedSink } from '#libs/devkit/testing/market/live-market.js';
import { type RandomMarket, randomMarket, temporaryStore } from '#libs/devkit/testing/market/market-harness.js';
import { until } from '#libs/devkit/testing/until.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import type { AnalyticsStore } from '#libs/pipeline/store/store.js';
import { type ChainReader, type ChainReaderDeps, createChainReader } from './chain-reader.js';
import { storeSource } from './store-source.js';
import type { TailListener } from './tail-listener.js';

/** The calls that a listener got, as short lines, each with what a view said in the same turn. */
class Recorder implements TailListener {
  readonly lines: string[] = [];
  /** Seqs of `onReset` and `onGroup`, in order. */
  readonly seqs: number[] = [];

  constructor(private readonly reader: ChainReader) {}

  onGroup({ seq }: { seq: number }): void {
    this.lines.push(`group ${seq} view ${this.viewed()}`);
    this.seqs.push(seq);
  }

  onReset({ epoch, seq, held }: Parameters<TailListener['onReset']>[0]): void {
    this.lines.push(`reset ${epoch} ${seq} held ${held.map((entry) => entry.seq).join()} view ${this.viewed()}`);
    this.seqs.push(seq);
  }

  onAvailable(): void {
    this.lines.push(`available view ${this.viewed()}`);
  }

  private viewed(): string {
    try {
      return String(this.reader.view().pin.seq);
    } catch {
      return 'none';
    }
  }
}

describe('what a reader tells its listeners', () => {
  let store: AnalyticsStore;
  let dispose: () => Promise<void>;
  let market: RandomMarket;
  let live: LiveMarket;
  const started: { stop: () => Promise<unknown> }[] = [];

  beforeEach(async () => {
    ({ store, dispose } = await temporaryStore());
    market = randomMarket(20261, { groups: 80, retractions: 0.05 });
    live = await LiveMarket.open(market.facts);
  });
  afterEach(async () => {
    await Promise.all(started.splice(0).map(({ stop }) => stop()));
    await live.close();
    await dispose();
  });

  function start(options: Partial<ChainReaderDeps> = {}): ChainReader {
    const source = storeSource(store, 'eth');
    const reader = createChainReader({ chain: market.chain, log: live.log, source, pollMs: 10, ...options });
    const abort = new AbortController();
    const ended = reader.run(abort.signal);
    started.push({
      stop: () => {
        abort.abort();
        return ended;
      },
    });
    return reader;
  }

  it('each group once, in the turn in which views have it; a flip over the same log is no news', async () => {
    await live.publish(20);
    const first = await SteppedSink.create(store, market.facts, 1);
    await first.writeTo(15);
    await first.flip();
    const reader = start();
    const early = new Recorder(reader);
    reader.listen(early);
    await until(() => reader.status().seq === 20);
    const late = new Recorder(reader);
    const stop = reader.listen(late);
    expect(early.lines[0]).toBe('reset 1 20 held 16,17,18,19,20 view 20');
    expect(late.lines).toEqual(['reset 1 20 held 16,17,18,19,20 view 20']);
    await live.publish(30);
    await until(() => reader.status().seq === 30);
    const second = await SteppedSink.create(store, market.facts, 2);
    await second.writeTo(28);
    await second.flip();
    await until(() => reader.status().generation === 2);
    await live.publish(35);
    await until(() => reader.status().seq === 35);
    const expected = Array.from({ length: 15 }, (_, i) => `group ${21 + i} view ${21 + i}`);
    expect(late.lines.slice(1)).toEqual(expected);
    expect(early.lines.filter((line) => line.startsWith('reset'))).toHaveLength(1);
    stop();
    await live.publish(40);
    await until(() => reader.status().seq === 40);
    expect(late.seqs.at(-1)).toBe(35);
    expect(early.seqs.at(-1)).toBe(40);
  });

  it('a group only after the checkpoint that is due with it: views are of the tables that are held', async () => {
    await live.publish(20);
    const sink = await SteppedSink.create(store, market.facts, 1);
    await sink.writeTo(15);
    await sink.flip();
    let looks = 0;
    const steps = async (step: string) => {
      if (step === 'reader.adopt') looks++;
    };
    const reader = start({ keepGroups: 4, steps });
    await until(() => reader.status().seq === 20);
    await sink.writeTo(20);
    const before = looks;
    await until(() => looks > before + 1);
    const pinned: { seq: number; tables: number }[] = [];
    reader.listen({
      onGroup: ({ seq }) => pinned.push({ seq, tables: reader.view().tables.seq }),
      onReset: () => undefined,
      onAvailable: () => undefined,
    });
    await live.publish(24);
    await until(() => reader.status().seq === 24);
    expect(pinned.at(-1)).toEqual({ seq: 24, tables: 20 });
    expect(reader.status().checkpointSeq).toBe(20);
  });

  it('another epoch as a move', async () => {
    await live.publish(20);
    const first = await SteppedSink.create(store, market.facts, 1);
    await first.writeTo(20);
    await first.flip();
    const reader = start();
    const recorder = new Recorder(reader);
    reader.listen(recorder);
    await until(() => reader.status().seq === 20);
    const other = randomMarket(20262, { groups: 40, epoch: 2 });
    const beside = await live.withLog(other.facts, 2);
    await beside.publish(25);
    const second = await SteppedSink.create(store, other.facts, 2, 2);
    await second.writeTo(22);
    await second.flip({ atOnce: true });
    await until(() => reader.status().epoch === 2);
    expect(recorder.lines.at(-1)).toBe('reset 2 25 held 23,24,25 view 25');
  });

  it('a jump past a full tail as a move, and that views can be had again', async () => {
    await live.publish(10);
    const sink = await SteppedSink.create(store, market.facts, 1);
    await sink.writeTo(10);
    await sink.flip();
    const reader = start({ maxTailBytes: 3_000 });
    const recorder = new Recorder(reader);
    reader.listen(recorder);
    await until(() => reader.status().ready);
    await live.publish(40);
    await until(() => reader.status().reason?.includes('too far behind') === true && reader.status().seq === 40);
    await live.publish(70);
    const stuckAt = reader.status().seq!;
    expect(recorder.seqs.at(-1)).toBe(stuckAt);
    await sink.writeTo(70);
    await until(() => reader.status().seq === 70 && reader.status().ready);
    expect(recorder.lines.slice(-2)).toEqual(['reset 1 70 held  view 70', 'available view 70']);
  });

  it('starts again from newer tables when they overtake it before it served anything', async () => {
    const sink = await SteppedSink.create(store, market.facts, 1);
    await live.publish(70);
    await sink.writeTo(5);
    await sink.flip();
    const { log } = live;
    const inSmallBatches: EventLog['readGroups'] = (topic, options) =>
      log.readGroups(topic, { ...options, maxGroups: 3 });
    const slow = new Proxy(log, {
      get: (target, name) => (name === 'readGroups' ? inSmallBatches : Reflect.get(target, name)),
    });
    const reader = start({ maxTailBytes: 1_000, log: slow });
    await until(() => live.startedAt.includes(6));
    await sink.writeTo(70);
    await until(() => reader.status().ready);
    expect(reader.status()).toMatchObject({ seq: 70, checkpointSeq: 70 });
  });

  it('a listener that fails holds up no other', async () => {
    await live.publish(10);
    const sink = await SteppedSink.create(store, market.facts, 1);
    await sink.writeTo(10);
    await sink.flip();
    const errors: string[] = [];
    const quiet = () => undefined;
    const reader = start({ logger: { info: quiet, warn: quiet, error: (_, message) => errors.push(message) } });
    const fail = (): never => {
      throw new Error('a bug');
    };
    reader.listen({ onGroup: fail, onReset: quiet, onAvailable: quiet });
    const recorder = new Recorder(reader);
    reader.listen(recorder);
    await until(() => reader.status().ready);
    await live.publish(12);
    await until(() => reader.status().seq === 12);
    expect(recorder.seqs.slice(-2)).toEqual([11, 12]);
    expect(errors).toEqual(['reader: a listener failed', 'reader: a listener failed']);
  });
});
