import { hostname } from 'node:os';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { Hex } from '#libs/core/ids.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import type { Logger } from '#libs/platform/logger.js';
import type { SupervisedStage } from '#libs/platform/supervisor.js';
import type { FactsGroup } from '#libs/protocol/facts.js';
import { type FactsPosition, isLater, type QuoteReceipt } from '#libs/protocol/receipts.js';
import { epochsTopic } from '#libs/protocol/topics.js';
import { FollowedChain, sameDecision } from './followed-chain.js';
import { pageOf, type ReceiptFilter, ReceiptOrder, type ReceiptPage, type ReceiptPlace } from './receipt-list.js';
import { ReceiptLog } from './receipt-log.js';

export interface ReceiptKeeperDeps {
  log: EventLog;
  chains: readonly ChainSpec[];
  /** The token by which a chain's pools know a mint of a quote. */
  poolToken: (chain: ChainSpec, mint: Hex) => Hex;
  logger: Pick<Logger, 'warn'>;
  /** Unix ms. */
  now?: () => number;
  /** Names this router among those that write to the log; unique among them. */
  instance?: string;
  /** How often other routers' receipts are looked for. */
  pollMs?: number;
  bounds?: ReceiptBounds;
}

interface ReceiptBounds {
  perChain: number;
  ageMs: number;
}

interface ReceiptStatus {
  receipts: number;
  open: number;
  /** States that the log does not have yet. A kill loses none of them: they are found again in the facts. */
  unpublished: number;
  /** Of these the builds that the log has nothing of: a kill would lose them. */
  unsaved: number;
  /** Builds that were not kept because the log has not taken any for long. */
  lost: number;
  unreadable: number;
  chains: { chain: string; following: boolean; inStep: boolean; seq: number | null }[];
}

/** Makes the receipt of a build: the position of the facts at the build, and the router's clock. null: it has none. */
export type ReceiptMaker = (builtAfter: FactsPosition, builtAt: number) => QuoteReceipt | null;

export interface ReceiptKeeper extends SupervisedStage {
  /** Keeps the receipt of a build that was answered. Answers its id; null when there is none or it cannot be kept. */
  add(chain: string, make: ReceiptMaker): string | null;
  /** The next group of a chain's facts, as the pools took it over. */
  onFacts(chain: string, facts: FactsGroup): void;
  list(filter: ReceiptFilter, limit: number, after: ReceiptPlace | null): ReceiptPage;
  readonly chains: readonly ChainSpec[];
  status(): ReceiptStatus;
}

export function createReceiptKeeper(deps: ReceiptKeeperDeps): ReceiptKeeper {
  return new Keeper(deps);
}

const BATCH = 500;
const PRUNE_EVERY_MS = 60_000;
const standardBounds: ReceiptBounds = { perChain: 10_000, ageMs: 30 * 86_400_000 };

/**
 * The receipts of every chain in memory, and in the topic as soon as the log takes them: a kill loses at most the builds
 * of the moment before. States are found again from the facts, by every router that follows them; a value is only stated
 * at a later position of the facts than the one before it.
 */
class Keeper implements ReceiptKeeper {
  readonly name = 'receipts';
  readonly chains: readonly ChainSpec[];
  private readonly bySlug = new Map<string, FollowedChain>();
  private readonly chainOf = new Map<string, FollowedChain>();
  private readonly order = new ReceiptOrder();
  private readonly topic: ReceiptLog;
  private readonly now: () => number;
  private readonly bounds: ReceiptBounds;
  /** Receipts whose value may differ from the topic's. */
  private readonly dirty = new Set<string>();
  private wake: (() => void) | null = null;
  private woken = false;
  private prunedAt = Number.NEGATIVE_INFINITY;
  private lost = 0;
  private unreadable = 0;

  constructor(private readonly deps: ReceiptKeeperDeps) {
    this.chains = deps.chains;
    this.now = deps.now ?? Date.now;
    this.bounds = deps.bounds ?? standardBounds;
    this.topic = new ReceiptLog(deps.log, `receipts.${deps.instance ?? `${hostname()}.${process.pid}`}`);
    for (const spec of deps.chains) {
      const poolToken = (mint: Hex): Hex => deps.poolToken(spec, mint);
      this.bySlug.set(spec.slug, new FollowedChain(spec.slug, poolToken, ({ id }) => this.dirty.add(id)));
    }
  }

  add(slug: string, make: ReceiptMaker): string | null {
    const chain = this.bySlug.get(slug);
    if (chain === undefined) return null;
    const receipt = make(chain.builtAfter, this.now());
    if (receipt === null) return null;
    if (chain.receipts.size >= 2 * this.bounds.perChain) {
      if (this.lost++ === 0) this.deps.logger.warn({ chain: chain.slug }, 'receipts are not kept: the log takes none');
      return null;
    }
    chain.following = true;
    this.put(chain, () => chain.receipts.put(receipt), receipt);
    this.dirty.add(receipt.id);
    this.poke();
    return receipt.id;
  }

  onFacts(slug: string, facts: FactsGroup): void {
    const chain = this.bySlug.get(slug);
    if (chain === undefined) return;
    const before = this.dirty.size;
    if (chain.tell(facts) || this.dirty.size > before) this.poke();
  }

  list(filter: ReceiptFilter, limit: number, after: ReceiptPlace | null): ReceiptPage {
    return pageOf(this.newestFirst(), filter, limit, after);
  }

  status(): ReceiptStatus {
    const chains = [...this.bySlug.values()];
    return {
      receipts: this.chainOf.size,
      open: chains.reduce((sum, { receipts }) => sum + receipts.openCount, 0),
      unpublished: this.dirty.size,
      unsaved: [...this.dirty].filter((id) => this.topic.published(id) === undefined).length,
      lost: this.lost,
      unreadable: this.unreadable,
      chains: chains.map(({ slug, following, inStep, receipts }) => {
        return { chain: slug, following, inStep, seq: receipts.position?.seq ?? null };
      }),
    };
  }

  async run(signal: AbortSignal): Promise<void> {
    const pollMs = this.deps.pollMs ?? 1_000;
    await this.deps.log.ensureTopics([epochsTopic]);
    await this.topic.open();
    try {
      let readAt = Number.NEGATIVE_INFINITY;
      while (!signal.aborted) {
        this.woken = false;
        if (performance.now() - readAt >= pollMs) {
          await this.topic.follow(this);
          readAt = performance.now();
        }
        for (const chain of this.bySlug.values()) {
          if (chain.following && !chain.inStep) await chain.catchUp(this.deps.log, signal, (n) => this.cut(chain, n));
        }
        await this.publish();
        await this.prune();
        await this.rest(pollMs, signal);
      }
      await this.publish();
    } finally {
      await this.topic.close();
    }
  }

  stated(receipt: QuoteReceipt): void {
    const chain = this.bySlug.get(receipt.chain);
    if (chain === undefined) return;
    this.put(chain, () => chain.adopt(receipt), receipt);
    this.dirty.add(receipt.id);
  }

  dropped(id: string): void {
    this.chainOf.get(id)?.receipts.remove(id);
    this.chainOf.delete(id);
    this.order.remove(id);
    this.dirty.delete(id);
  }

  unreadableRecord(key: string, reason: string): void {
    if (this.unreadable++ === 0)
      this.deps.logger.warn({ key, reason }, 'a receipt in the log cannot be read; it is left');
  }

  private put(chain: FollowedChain, put: () => void, receipt: QuoteReceipt): void {
    put();
    this.chainOf.set(receipt.id, chain);
    this.order.add(receipt);
  }

  private *newestFirst(): Iterable<QuoteReceipt> {
    for (const id of this.order.newestFirst()) yield this.chainOf.get(id)!.receipts.get(id)!;
  }

  /** Appends what the topic does not have yet and may be stated now. */
  private async publish(): Promise<void> {
    const values: QuoteReceipt[] = [];
    for (const id of this.dirty) {
      const chain = this.chainOf.get(id);
      const value = chain === undefined ? null : this.valueOf(chain, id);
      if (value === null) this.dirty.delete(id);
      else if (value !== 'later') values.push(value);
    }
    for (let from = 0; from === 0 || from < values.length; from += BATCH) {
      await this.topic.append(values.slice(from, from + BATCH));
    }
  }

  /** null: the topic has it. 'later': the facts have not gone on since the value before it. */
  private valueOf(chain: FollowedChain, id: string): QuoteReceipt | 'later' | null {
    const receipt = chain.receipts.get(id)!;
    const published = this.topic.published(id);
    if (published !== undefined && sameState(published, receipt)) return null;
    const at = chain.receipts.position;
    if (chain.inStep && at !== null && (published === undefined || isLater(at, published.asOf))) {
      return { ...receipt, asOf: at };
    }
    return published === undefined && receipt.state === 'built' ? { ...receipt, asOf: receipt.builtAfter } : 'later';
  }

  private async prune(): Promise<void> {
    const { perChain, ageMs } = this.bounds;
    const crowded = [...this.bySlug.values()].some(({ receipts }) => receipts.size > perChain * 1.05);
    if (!crowded && performance.now() - this.prunedAt < PRUNE_EVERY_MS) return;
    this.prunedAt = performance.now();
    const oldest = this.now() - ageMs;
    const counts = new Map<string, number>();
    const gone: string[] = [];
    for (const { id, chain, builtAt } of this.newestFirst()) {
      const count = (counts.get(chain) ?? 0) + 1;
      counts.set(chain, count);
      if (count > perChain || builtAt < oldest) gone.push(id);
    }
    await this.topic.drop(gone);
    for (const id of gone) this.dropped(id);
  }

  private cut(chain: FollowedChain, missing: number): void {
    this.deps.logger.warn({ chain: chain.slug, missing }, 'facts that receipts wait for are not kept any more');
  }

  private poke(): void {
    this.woken = true;
    this.wake?.();
  }

  /** Until something is to be done, or it is time to look at the topic. */
  private rest(ms: number, signal: AbortSignal): Promise<void> {
    if (this.woken || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        this.wake = null;
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal.addEventListener('abort', done, { once: true });
      this.wake = done;
    });
  }
}

const sameState = (a: QuoteReceipt, b: QuoteReceipt): boolean => a.final === b.final && sameDecision(a, b);
