import type { RpcEndpoint } from '#libs/chain/chains/evm/rpc/endpoint.js';
import { RpcError } from '#libs/chain/chains/rpc/rpc-error.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { Hex } from '#libs/core/ids.js';
import { steadyNow } from '#libs/core/steady-clock.js';
import { keyedPages } from '#libs/pipeline/event-log/keyed-pages.js';
import type { EventLog, LogWriter } from '#libs/pipeline/event-log/log.js';
import { pause } from '#libs/platform/backoff.js';
import type { SupervisedStage } from '#libs/platform/supervisor.js';
import { poolsNamed } from '#libs/protocol/codec/blocks-codec.js';
import { decodePoolCopy, decodePoolMark, isFurtherPart } from '#libs/protocol/codec/pool-copy-codec.js';
import { POOL_MARK_KEY } from '#libs/protocol/pool-copy.js';
import { decodeAsk, decodeSafety, encodeSafety, safetyKey, safetySubject } from '#libs/protocol/token-safety.js';
import { blocksTopic, epochsTopic, poolsTopic, tokenAsksTopic, tokenSafetyTopic } from '#libs/protocol/topics.js';
import { readServedEpoch, runUntilChanged, type ServedEpoch, sameServed, waitForEpoch } from '../served-epoch.js';
import { together } from '../together.js';
import { cannotSimulate } from './blocks-ahead.js';
import { ProbeBook, pauseAfter } from './probe-book.js';
import { readProbeHead } from './probe-head.js';
import { probeToken } from './probe-token.js';

/** The nodes of the chain, one after the other where one fails. */
export interface ProbeNodes {
  use<T>(work: (endpoint: RpcEndpoint) => Promise<T>, signal?: AbortSignal): Promise<T>;
  close(): Promise<void>;
}

export interface SafetyStageDeps {
  log: EventLog;
  chain: ChainSpec;
  /** Made for each run. */
  nodes: () => Promise<ProbeNodes>;
  now?: () => number;
  pollMs?: number;
  /** Between two tokens: what is asked of nodes stays little. */
  paceMs?: number;
}

const RECORDS = 500;
const ASK_COUNTS_MS = 86_400_000;
const MOST_ASKED = 10_000;

/**
 * Finds out what can be shown of the tokens of one EVM chain that have a pool, and states it in the topic `token-safety`. No part
 * of the fold: nothing is computed from it. A finding stays until the next look replaces it; one of a lower block replaces nothing.
 */
export class SafetyStage implements SupervisedStage {
  readonly name: string;
  private book: ProbeBook | null = null;
  private readonly heights = new Map<Hex, number>();
  private readonly asked = new Set<Hex>();

  constructor(private readonly deps: SafetyStageDeps) {
    this.name = `safety.${deps.chain.slug}`;
  }

  status() {
    return { chain: this.deps.chain.slug, tokens: this.book?.size ?? 0, found: this.heights.size };
  }

  async run(signal: AbortSignal): Promise<void> {
    const { log, chain } = this.deps;
    await log.ensureTopics([epochsTopic, tokenSafetyTopic, tokenAsksTopic]);
    const book = new ProbeBook(chain);
    const nodes = await this.deps.nodes();
    const writer = await log.openWriter(this.name);
    try {
      this.heights.clear();
      await this.remember(book);
      this.book = book;
      await together(signal, [
        (own) => this.follow(book, own),
        (own) => this.followAsks(book, own),
        (own) => this.probeOn({ book, nodes, writer }, own),
      ]);
    } finally {
      await Promise.all([writer.close(), nodes.close()]);
    }
  }

  /** What was found in earlier runs is looked at again when its time comes. */
  private async remember(book: ProbeBook): Promise<void> {
    for await (const page of keyedPages(this.deps.log, tokenSafetyTopic, { records: RECORDS })) {
      for (const { key, value } of page) {
        const subject = safetySubject(key);
        const record = value === null ? null : decodeSafety(value);
        if (subject?.chain !== this.deps.chain.slug || record === null) continue;
        this.heights.set(subject.token, record.height);
        book.remember(subject.token, record.looks, record.foundAt + pauseAfter(record.looks));
      }
    }
  }

  /** What clients ask for is looked at before all others. */
  private async followAsks(book: ProbeBook, signal: AbortSignal): Promise<void> {
    const { log, chain, now = steadyNow, pollMs = 1_000 } = this.deps;
    this.asked.clear();
    for (let next = 0n; !signal.aborted; ) {
      const page = await log.readKeyed(tokenAsksTopic, 0, next, RECORDS);
      for (const { key, value, offset } of page) {
        next = offset + 1n;
        const subject = safetySubject(key);
        const askedAt = value === null ? null : decodeAsk(value);
        if (subject?.chain !== chain.slug || askedAt === null || askedAt < now() - ASK_COUNTS_MS) continue;
        if (this.asked.size < MOST_ASKED) this.asked.add(subject.token);
        book.ask(subject.token);
      }
      if (page.length === 0) await pause(pollMs, signal);
    }
  }

  /** Follows the pools of what is served. */
  private async follow(book: ProbeBook, signal: AbortSignal): Promise<void> {
    const { log, chain, pollMs } = this.deps;
    while (!signal.aborted) {
      const served = await waitForEpoch(log, chain.slug, signal, pollMs);
      if (served === null) return;
      const changed = async () => {
        const now = await readServedEpoch(log, chain.slug);
        return now !== null && !sameServed(now, served);
      };
      await runUntilChanged((own) => this.followEpoch(book, served, own), changed, signal, pollMs);
    }
  }

  /** First what the pools had when they were last published, then those that blocks name from there on. */
  private async followEpoch(book: ProbeBook, { epoch, foldVersion }: ServedEpoch, signal: AbortSignal): Promise<void> {
    const { log, chain } = this.deps;
    const [pools, blocks] = [poolsTopic(chain.slug, epoch, foldVersion), blocksTopic(chain.slug, epoch)];
    await log.ensureTopics([pools]);
    let next = (await log.firstGroup(blocks))?.seq ?? 0;
    for await (const page of keyedPages(log, pools, { records: RECORDS })) {
      for (const { key, value } of page) {
        if (value === null || isFurtherPart(key)) continue;
        if (key === POOL_MARK_KEY) next = Math.max(next, decodePoolMark(value).seq + 1);
        // What is in several parts has ticks by the ten thousand, and is named by the blocks of its life.
        else this.learnCopy(book, key, value);
      }
      if (signal.aborted) return;
    }
    for await (const groups of log.readGroups(blocks, { fromSeq: next, signal })) {
      for (const { value } of groups) for (const pool of poolsNamed(value)) book.learn(pool, null);
    }
  }

  private learnCopy(book: ProbeBook, pool: Hex, value: Uint8Array): void {
    const copy = decodePoolCopy(pool, value, () => undefined);
    if (copy !== null) book.learn(copy.record, [copy.state.reserve0, copy.state.reserve1]);
  }

  private async probeOn(
    { book, nodes, writer }: { book: ProbeBook; nodes: ProbeNodes; writer: LogWriter },
    signal: AbortSignal,
  ): Promise<void> {
    const { chain, now = steadyNow, pollMs = 250, paceMs = 1_000 } = this.deps;
    while (!signal.aborted) {
      const token = book.take(now());
      if (token === null) {
        await pause(pollMs, signal);
        continue;
      }
      try {
        const found = await this.probe(book, nodes, token, signal);
        if (found !== null && found.height >= (this.heights.get(token) ?? 0)) {
          const value = encodeSafety({ ...found, looks: book.looksAt(token) + 1, foundAt: now() });
          const key = safetyKey(chain.slug, token);
          const answered = this.asked.delete(token) ? [{ topic: tokenAsksTopic, key, value: null }] : [];
          await writer.append([{ topic: tokenSafetyTopic, key, value }, ...answered]);
          this.heights.set(token, found.height);
        }
        book.found(token, now());
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof RpcError)) throw error;
        book.failed(token, now());
      }
      await pause(paceMs, signal);
    }
  }

  /** Another node may simulate where one cannot; where none does, what needs no simulation is found all the same. */
  private async probe(book: ProbeBook, nodes: ProbeNodes, token: Hex, signal: AbortSignal) {
    const pools = book.poolsOf(token);
    const on = (without: boolean) => (endpoint: RpcEndpoint) =>
      readProbeHead(endpoint, signal).then((head) => probeToken(endpoint, token, { pools, head, signal, without }));
    try {
      return await nodes.use(on(false), signal);
    } catch (error) {
      if (!cannotSimulate(error)) throw error;
      return nodes.use(on(true), signal);
    }
  }
}
