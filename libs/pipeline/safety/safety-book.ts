// Room: what simulations found of tokens, as every process that serves it follows it. May import core, protocol,
// pipeline/event-log.

import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Hex } from '#libs/core/ids.js';
import { KeyWatchers } from '#libs/core/key-watchers.js';
import type { EventLog, KeyedRecord, LogWriter } from '#libs/pipeline/event-log/log.js';
import {
  decodeSafety,
  encodeAsk,
  type SafetySummary,
  safetyKey,
  safetySubject,
  summaryOf,
  type TokenSafetyRecord,
} from '#libs/protocol/token-safety.js';
import { tokenAsksTopic, tokenSafetyTopic } from '#libs/protocol/topics.js';

/** What was found of the tokens of one chain. It is no part of a view: it has a time of its own, and every view shows the newest. */
export interface TokenSafeties {
  /** Another one after each change, and the same at every process that knows as much. */
  readonly version: string;
  /** How often anything changed that a summary shows; it never falls. */
  readonly changes: number;
  readonly size: number;
  summaryOf(token: Hex): SafetySummary | null;
  /** A client wants to know of a token: where there was no look at it, one comes soon. */
  ask(token: Hex): void;
  /** Null also where this process keeps summaries alone. */
  recordOf(token: Hex): TokenSafetyRecord | null;
  /** Calls the listener after each change of a token, until the returned function is called. */
  watch(token: Hex, listener: () => void): () => void;
}

export interface SafetyBookDeps {
  log: Pick<EventLog, 'ensureTopics' | 'readKeyed' | 'openWriter'>;
  /** Whether whole records are kept, about half a kilobyte each; else what lists and quotes show of them. */
  records: boolean;
  now?: () => number;
  /** How often the topic is looked at. */
  pollMs?: number;
}

const RECORDS = 1_000;
/** Asked for at a time, and remembered as asked for: what clients name is bounded by nothing else. */
const MOST_ASKS = 50;
const MOST_ASKED = 10_000;

/**
 * The topic `token-safety` in memory, for every chain. Invariant: what it says of a token is the newest value read, in the order of
 * the topic, so that all processes that came as far say the same.
 */
export class SafetyBook {
  readonly name: string;
  private readonly chains = new Map<string, ChainSafeties>();
  private next = 0n;
  private readonly asks = new Set<string>();
  private readonly asked = new Set<string>();

  constructor(
    private readonly deps: SafetyBookDeps,
    private readonly owner: string,
  ) {
    this.name = `${owner}.token-safety`;
  }

  /** As a supervised stage: follows the topic until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { log, records, pollMs = 1_000 } = this.deps;
    await log.ensureTopics([tokenSafetyTopic, tokenAsksTopic]);
    let writer: LogWriter | null = null;
    try {
      while (!signal.aborted) {
        if (this.asks.size > 0) {
          writer ??= await log.openWriter(`asks.${this.owner}.${hostname()}.${process.pid}`);
          await this.stateAsks(writer);
        }
        const page = await log.readKeyed(tokenSafetyTopic, 0, this.next, RECORDS);
        for (const record of page) this.take(record, records);
        if (page.length === 0) await delay(pollMs, null, { signal }).catch(() => null);
      }
    } finally {
      await writer?.close();
    }
  }

  of(chain: string): TokenSafeties {
    return this.chain(chain);
  }

  private take({ key, value, offset }: KeyedRecord, keeps: boolean): void {
    this.next = offset + 1n;
    const subject = safetySubject(key);
    if (subject === null) return;
    const record = value === null ? null : decodeSafety(value);
    this.chain(subject.chain).set(subject.token, record, keeps ? value : null, offset);
  }

  private ask(key: string): void {
    if (this.asked.has(key) || this.asks.size >= MOST_ASKS) return;
    if (this.asked.size >= MOST_ASKED) this.asked.clear();
    this.asked.add(key);
    this.asks.add(key);
  }

  private async stateAsks(writer: LogWriter): Promise<void> {
    const value = encodeAsk((this.deps.now ?? Date.now)());
    const keys = [...this.asks];
    this.asks.clear();
    await writer.append(keys.map((key) => ({ topic: tokenAsksTopic, key, value })));
  }

  private chain(slug: string): ChainSafeties {
    const known = this.chains.get(slug) ?? new ChainSafeties((token) => this.ask(safetyKey(slug, token)));
    this.chains.set(slug, known);
    return known;
  }
}

class ChainSafeties implements TokenSafeties {
  version = '';
  changes = 0;
  private readonly summaries = new Map<Hex, SafetySummary>();
  private readonly packed = new Map<Hex, Buffer>();
  /** Few differ: each is kept once. */
  private readonly distinct = new Map<string, SafetySummary>();
  private readonly watchers = new KeyWatchers<Hex>();

  constructor(private readonly onAsk: (token: Hex) => void) {}

  get size(): number {
    return this.summaries.size;
  }

  summaryOf(token: Hex): SafetySummary | null {
    return this.summaries.get(token) ?? null;
  }

  ask(token: Hex): void {
    if (!this.summaries.has(token)) this.onAsk(token);
  }

  recordOf(token: Hex): TokenSafetyRecord | null {
    const packed = this.packed.get(token);
    return packed === undefined ? null : decodeSafety(inflateRawSync(packed));
  }

  watch(token: Hex, listener: () => void): () => void {
    return this.watchers.watch(token, listener);
  }

  set(token: Hex, record: TokenSafetyRecord | null, bytes: Uint8Array | null, offset: bigint): void {
    const before = this.summaries.get(token);
    const summary = record === null ? undefined : this.shared(summaryOf(record.findings));
    if (summary !== before) this.changes++;
    if (summary === undefined) this.summaries.delete(token);
    else this.summaries.set(token, summary);
    if (record === null || bytes === null) this.packed.delete(token);
    else this.packed.set(token, deflateRawSync(bytes));
    this.version = offset.toString();
    this.watchers.tell(token);
  }

  private shared(summary: SafetySummary): SafetySummary {
    const name = JSON.stringify(summary);
    const known = this.distinct.get(name) ?? summary;
    this.distinct.set(name, known);
    return known;
  }
}

/** Of an instance that follows none. */
export const noSafeties: TokenSafeties = {
  ...{ version: '', changes: 0, size: 0 },
  ask: () => undefined,
  ...{ summaryOf: () => null, recordOf: () => null, watch: () => () => undefined },
};
