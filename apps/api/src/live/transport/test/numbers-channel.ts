import type {
  ChannelDefinition,
  ChannelPosition,
  KeyDefinition,
  KeySink,
  KeySource,
} from '#libs/serve/live/channel.js';
import { badLiveRequest } from '#libs/serve/live/live-problem.js';

const EPOCH = 'numbers-1';

/**
 * A channel whose state is a list that only grows: entry n was added at seq n. It remembers all of it, so that every
 * resume is exact. Made for the transports' own specs, which are about connections and not about markets.
 */
export class NumbersChannel implements ChannelDefinition {
  readonly name = 'numbers';
  private readonly lists = new Map<string, string[]>();
  private readonly sinks = new Map<string, KeySink>();
  /** Keys that have a subscriber. */
  readonly open = new Set<string>();

  resolve(params: Readonly<Record<string, unknown>>): KeyDefinition {
    const { list } = params;
    if (typeof list !== 'string' || list === '') throw badLiveRequest('list is required');
    return { key: list, open: (sink) => this.source(list, sink) };
  }

  push(list: string, entry: string): number {
    const entries = this.entries(list);
    entries.push(entry);
    const seq = entries.length - 1;
    const delta = { type: 'numbers', epoch: EPOCH, seq, data: [entry], meta: { block: seq } };
    this.sinks.get(list)?.add(() => delta);
    return seq;
  }

  private entries(list: string): string[] {
    let entries = this.lists.get(list);
    if (entries === undefined) {
      entries = ['first'];
      this.lists.set(list, entries);
    }
    return entries;
  }

  private source(list: string, sink: KeySink): KeySource {
    this.sinks.set(list, sink);
    this.open.add(list);
    const entries = this.entries(list);
    return {
      snapshot: () => {
        const seq = entries.length - 1;
        const data = entries.slice(-3);
        return { epoch: EPOCH, seq, ready: Promise.resolve({ data, meta: { block: seq }, absent: null }) };
      },
      since: (from: ChannelPosition) => {
        if (from.epoch !== EPOCH || from.seq >= entries.length) return null;
        const seq = entries.length - 1;
        const deltas = entries.slice(from.seq + 1).map((entry, index) => {
          const at = from.seq + 1 + index;
          return { type: 'numbers', epoch: EPOCH, seq: at, data: [entry], meta: { block: at } };
        });
        return { epoch: EPOCH, seq, ready: Promise.resolve(deltas) };
      },
      close: () => {
        this.sinks.delete(list);
        this.open.delete(list);
      },
    };
  }
}
