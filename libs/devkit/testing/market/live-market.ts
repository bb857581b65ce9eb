import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedLog } from '#libs/pipeline/event-log/embedded/embedded-log.js';
import type { EventLog, LogWriter, ReadGroupsOptions } from '#libs/pipeline/event-log/log.js';
import { foldVersion } from '#libs/pipeline/fold/chain-fold.js';
import { encodeFactsGroup } from '#libs/pipeline/projections/facts-codec.js';
import { MarketTables } from '#libs/pipeline/store/market/market-tables.js';
import type { AnalyticsStore } from '#libs/pipeline/store/store.js';
import type { FactsGroup } from '#libs/protocol/facts.js';
import { factsTopic, type TopicSpec } from '#libs/protocol/topics.js';
import { removeFolder } from '../remove-folder.js';
import { PlainSink } from './market-harness.js';

/** A real log in a temporary folder that holds facts, and remembers from where it was read. */
export class LiveMarket {
  readonly topic: TopicSpec;
  readonly startedAt: number[] = [];
  private appended = 0;

  private constructor(
    /** Where the log is; null: it belongs to the caller. */
    private readonly dir: string | null,
    private readonly inner: EventLog,
    private readonly writer: LogWriter,
    readonly facts: readonly FactsGroup[],
    topic: TopicSpec,
  ) {
    this.topic = topic;
  }

  /** In a log of its own, or in one that the caller closes. */
  static async open(facts: readonly FactsGroup[], epoch = 1, shared: EventLog | null = null): Promise<LiveMarket> {
    const dir = shared === null ? await mkdtemp(join(tmpdir(), 'tidepool-live-')) : null;
    const log = shared ?? (await openEmbeddedLog({ dir: dir! }));
    const topic = factsTopic(facts[0]!.chain, epoch, foldVersion);
    await log.ensureTopics([topic]);
    return new LiveMarket(dir, log, await log.openWriter('test'), facts, topic);
  }

  /** Other facts in a topic of the same log. */
  async withLog(facts: readonly FactsGroup[], epoch: number): Promise<LiveMarket> {
    const topic = factsTopic(facts[0]!.chain, epoch, foldVersion);
    await this.inner.ensureTopics([topic]);
    return new LiveMarket(this.dir, this.inner, this.writer, facts, topic);
  }

  /** The log as a reader is given it. */
  get log(): EventLog {
    const { inner, startedAt } = this;
    return new Proxy(inner, {
      get(target, property) {
        if (property === 'readGroups') {
          return (topic: TopicSpec, options: ReadGroupsOptions) => {
            startedAt.push(options.fromSeq);
            return inner.readGroups(topic, options);
          };
        }
        const value: unknown = Reflect.get(target, property);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  }

  get lastSeq(): number {
    return this.appended - 1;
  }

  /** Publishes facts up to and including a seq. */
  async publish(toSeq: number): Promise<void> {
    const records = this.facts
      .slice(this.appended, toSeq + 1)
      .map((group) => ({ topic: this.topic, seq: group.seq, value: encodeFactsGroup(group) }));
    if (records.length === 0) return;
    await this.writer.append(records);
    this.appended = toSeq + 1;
  }

  /** Something else than the next facts, as no project stage would write it. */
  async publishBytes(value: Uint8Array): Promise<void> {
    await this.writer.append([{ topic: this.topic, seq: this.appended, value }]);
    this.appended++;
  }

  async close(): Promise<void> {
    await this.writer.close();
    if (this.dir === null) return;
    await this.inner.close();
    await removeFolder(this.dir);
  }
}

/** A sink that writes a live market's facts into one generation, up to the seq that the caller names. */
export class SteppedSink {
  private constructor(
    private readonly sink: PlainSink,
    private readonly facts: readonly FactsGroup[],
  ) {}

  static async create(
    store: AnalyticsStore,
    facts: readonly FactsGroup[],
    generation: number,
    epoch = 1,
  ): Promise<SteppedSink> {
    const tables = new MarketTables(store, facts[0]!.chain, generation);
    await tables.ensure();
    return new SteppedSink(new PlainSink(store, tables, epoch), facts);
  }

  get checkpoint() {
    return this.sink.checkpoint;
  }

  async writeTo(seq: number): Promise<void> {
    await this.sink.write(this.facts.slice(this.sink.checkpoint.seq + 1, seq + 1));
  }

  seal = () => this.sink.seal();
  flip = (how?: { atOnce?: boolean }) => this.sink.flip(how);

  /** As a sink does once pinned views are old enough: what was retracted so far may be deleted. */
  async purge(): Promise<void> {
    await this.sink.purge();
  }
}
