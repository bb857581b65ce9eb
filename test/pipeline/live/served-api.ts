import { type LiveChannels, openLiveChannels } from '#apps/api/test/live-channels.js';
import { until } from '#libs/devkit/testing/until.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import type { MarketReads } from '#libs/pipeline/store/market/reads.js';
import type { AnalyticsStore } from '#libs/pipeline/store/store.js';
import { LiveHub } from '#libs/serve/live/live-hub.js';
import type { LiveClock } from '#libs/serve/live/live-options.js';
import { type ChainReader, createChainReader, type MarketSource } from '#libs/serve/reader/chain-reader.js';
import { storeSource } from '#libs/serve/reader/store-source.js';

const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** The real reader, channels and hub over a log and tables, without HTTP: one instance of the api. */
export class ServedApi {
  readonly reader: ChainReader;
  readonly hub: LiveHub;
  private readonly channels: LiveChannels;
  private readonly abort = new AbortController();
  private readonly ended: Promise<void>;

  constructor(deps: { chain: ChainReader['chain']; log: EventLog; store: AnalyticsStore; clock?: LiveClock }) {
    const { chain, log, store, clock } = deps;
    const source = storeSource(store, chain.slug);
    const reads: MarketSource['reads'] = (pointer) => this.counted(source.reads(pointer));
    this.reader = createChainReader({ chain, log, source: { ...source, reads }, pollMs: 10 });
    this.ended = this.reader.run(this.abort.signal);
    this.channels = openLiveChannels(new Map([[chain.slug, this.reader]]), new Uint8Array(32).fill(1));
    this.hub = new LiveHub({ channels: this.channels.definitions, logger, clock });
  }

  /** Reads of the tables that are under way. */
  pending = 0;

  private counted(reads: MarketReads): MarketReads {
    return new Proxy(reads, {
      get: (target, name) => {
        const read: unknown = Reflect.get(target, name);
        if (typeof read !== 'function') return read;
        return async (...args: unknown[]) => {
          this.pending++;
          try {
            return await (read.apply(target, args) as Promise<unknown>);
          } finally {
            this.pending--;
          }
        };
      },
    });
  }

  async at(seq: number): Promise<void> {
    await until(() => this.reader.status().seq === seq);
  }

  async stop(): Promise<void> {
    this.hub.close();
    this.channels.close();
    this.abort.abort();
    await this.ended;
  }
}
