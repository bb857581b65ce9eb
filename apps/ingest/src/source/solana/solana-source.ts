import { decoderVersion } from '#libs/chain/catalogue/own-reference.js';
import { NodeMemory } from '#libs/chain/chains/rpc/node-memory.js';
import { RpcError } from '#libs/chain/chains/rpc/rpc-error.js';
import { isGeyserUrl } from '#libs/chain/chains/solana/geyser/geyser-address.js';
import type { BlockFeed } from '#libs/chain/chains/solana/rpc/block-feed.js';
import { isMissing, type SolanaEndpoint, type Tips } from '#libs/chain/chains/solana/rpc/endpoint.js';
import { IncompleteBlockError } from '#libs/chain/chains/solana/rpc/known-outcomes.js';
import { fetchAccounts } from '#libs/chain/chains/solana/rpc/node-accounts.js';
import { SolanaPool } from '#libs/chain/chains/solana/rpc/node-pool.js';
import { SocketFeed } from '#libs/chain/chains/solana/rpc/socket-feed.js';
import {
  type BlockRef,
  type ChainSource,
  EpochBrokenError,
  type EpochStart,
  type NodeState,
  type PublishedChain,
  type SourceItem,
  type SourceObserver,
} from '#libs/chain/chains/source-port.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import { TidepoolError } from '#libs/core/errors.js';
import type { Hex } from '#libs/core/ids.js';
import { readSlot } from '#libs/routing/pools/solana/slot-reader.js';
import { refOf } from '../heights.js';
import { checkGenesis, countError, isHttp, nodeStates, UNCLEAR_REFUSALS } from '../nodes.js';
import { ProgressMeter } from '../progress-meter.js';
import { RecentAnswers } from '../recent-answers.js';
import { dueSeal } from '../seal.js';
import { BalanceTrail, type Misfit } from './balance-trail.js';
import { answerOf, blockBelow, rawBlock, ref, refAfter } from './block-places.js';
import { BlockReader, describeBlock, FEED, isBroken, type ReadBlock, type ReadOne } from './block-reader.js';
import { BlockRun } from './block-run.js';
import { findSolanaBranch, follows, type SolanaBranch } from './branch.js';
import { type PushedBlock, SolanaHeadWatch } from './head-watch.js';
import { type SolanaSourceOptions, type SolanaSourceOverrides, withDefaults } from './options.js';
import type { AccountReads, RawSolanaBlock, SolanaDecoding, SolanaDecodingKeeper } from './raw-block.js';
import { SecondOpinions } from './second-opinions.js';
import { findStart } from './start.js';

export interface SolanaSourceDeps {
  chain: ChainSpec;
  /** HTTP URLs in order of preference; the others are the feed's. */
  rpcUrls: readonly string[];
  observer: SourceObserver;
  /** Makes records of raw blocks, in step with the log. */
  decoding: SolanaDecodingKeeper;
  /** Over the URLs that are not HTTP; when absent, gRPC streams where a URL names one, else subscriptions over WebSocket. */
  feed?: (urls: readonly string[]) => BlockFeed;
  options?: SolanaSourceOverrides;
  /** Where what is learned of the nodes is kept for the next start. */
  nodesFile?: string;
}

interface Look {
  readonly tips: Tips;
  readonly branch: SolanaBranch | null;
  /** So far behind that only what is settled is read. */
  readonly far: boolean;
}

/** What is published from: the log as it is, and the decoding that runs ahead of it by one batch. */
interface Session {
  readonly published: PublishedChain;
  readonly decoding: SolanaDecoding;
  readonly watch: SolanaHeadWatch;
  /** A block that does not fit those before it: to be settled before more is published. */
  misfit: Misfit | null;
  readonly signal: AbortSignal;
}

/** Consecutive blocks that go out together. */
interface Batch {
  readonly blocks: readonly ReadBlock[];
  readonly source: RawSolanaBlock['source'];
  readonly observedAt: number;
  readonly retract: BlockRef | null;
}

/**
 * A Solana chain over JSON-RPC: a height is a slot, and slots without a block are left out. A block is published when it
 * names the published head as its parent, by slot and hash; whatever does not fit, a gap or a fork, is settled by walking
 * back from what one node says to a published block. When that node contradicts itself, the decision is made again with
 * the next. A feed that pushes blocks only saves the questions. A block that turns out to be false after it was published is
 * retracted, below finality too, and read again.
 */
export class SolanaSource implements ChainSource {
  readonly decoderVersion: number;
  private readonly rpc: SolanaPool;
  private readonly options: SolanaSourceOptions;
  private readonly feedUrls: readonly string[];
  private readonly reads: AccountReads;
  private feed: BlockFeed | null = null;
  private finalized: number | null = null;
  private watch: SolanaHeadWatch | null = null;
  private readonly recent = new RecentAnswers();
  private readonly reader: BlockReader;
  private readonly opinions: SecondOpinions;
  private readonly trail: BalanceTrail;
  /** A published seal later than this many slots after the one before. */
  private readonly sealStride: number;

  constructor(private readonly deps: SolanaSourceDeps) {
    const { chain, rpcUrls, observer } = deps;
    if (chain.family !== 'solana') throw new TidepoolError('wrong_family', `${chain.slug} is no Solana chain`);
    this.decoderVersion = decoderVersion(chain);
    this.options = withDefaults(chain, deps.options);
    this.feedUrls = rpcUrls.filter((url) => !isHttp(url));
    this.sealStride = Math.ceil(5_000 / chain.blockTimeMs);
    this.rpc = new SolanaPool({
      ...this.options.rpc,
      urls: rpcUrls.filter(isHttp),
      unclearRefusals: UNCLEAR_REFUSALS,
      ...(deps.nodesFile !== undefined && { memory: new NodeMemory(deps.nodesFile, (e) => observer.cacheFailed?.(e)) }),
      onError: (error) => {
        countError(error, observer);
        if (error instanceof IncompleteBlockError && error.everywhere) observer.doubtful?.(error.slot, NO_CALLS, false);
      },
      onRecovered: (endpoint) => observer.rpcRecovered?.(endpoint.index),
    });
    const { rpc, recent } = this;
    this.reader = new BlockReader(rpc, {
      takeIncomplete: this.options.takeIncomplete,
      onLie: (node, reason) => this.opinions.distrust(node, reason),
      onDoubt: (slot, reason, taken) => observer.doubtful?.(slot, reason, taken),
    });
    const { reader } = this;
    this.opinions = new SecondOpinions({
      ...{ rpc, reader, recent, observer, options: this.options.checks, slotsPerList: this.options.run.slotsPerList },
      onTrouble: () => this.watch?.poke(),
    });
    const { opinions } = this;
    const { takeIncomplete } = this.options;
    this.trail = new BalanceTrail({ rpc, reader, recent, opinions, observer, takeIncomplete });
    this.reads = {
      accounts: (addresses, minSlot, signal) =>
        this.rpc.use((endpoint) => fetchAccounts(endpoint, addresses, minSlot, signal), signal),
      at: async (addresses, minSlot, signal) => {
        const { moment, known } = await readSlot(this.rpc, addresses, 'confirmed', minSlot, signal);
        return { slot: Number(moment.slot), known };
      },
    };
  }

  start(wished: number | undefined, signal: AbortSignal): Promise<EpochStart> {
    const { defaultHistorySlots } = this.options;
    return this.rpc.useAny((endpoint) => findStart(endpoint, wished, defaultHistorySlots, signal), signal);
  }

  checkGenesis(genesisHash: Hex, signal: AbortSignal): Promise<void> {
    return checkGenesis(this.rpc, (endpoint) => endpoint.genesisHash(signal), genesisHash, signal);
  }

  async *follow(published: PublishedChain, signal: AbortSignal): AsyncIterable<SourceItem[]> {
    const { decoding: keeper, observer } = this.deps;
    const decoding = await keeper.load(published, signal);
    const feed = await this.openFeed();
    const watch = new SolanaHeadWatch(this.rpc, feed, this.options.watch, observer);
    const session: Session = { published, decoding, watch, misfit: null, signal };
    this.feed = feed;
    this.watch = watch;
    this.finalized = null;
    this.forgetAbove(published.head.height);
    this.opinions.restart(signal);
    try {
      for (;;) {
        signal.throwIfAborted();
        if (session.misfit !== null || this.opinions.troubled) yield* this.mend(session);
        watch.trust(!this.opinions.distrusts(FEED));
        const pushed = watch.next(published.head);
        if (pushed) {
          yield* this.pushed(session, pushed);
        } else if (watch.dueLook()) {
          const look = await this.look(session);
          if (look?.branch) yield* this.advance(session, look, look.branch);
          else if (look) yield* this.rest(session);
        } else {
          await watch.wait(signal);
        }
      }
    } finally {
      this.feed = null;
      this.watch = null;
      watch.close();
      await keeper.save(published);
      await keeper.close();
    }
  }

  nodes(): NodeState[] {
    return nodeStates(this.deps.rpcUrls, this.rpc, (url) => this.feed?.problemOf(url) ?? null);
  }

  async close(): Promise<void> {
    await this.rpc.close();
  }

  private async openFeed(): Promise<BlockFeed> {
    if (this.deps.feed) return this.deps.feed(this.feedUrls);
    const geyserUrls = this.feedUrls.filter(isGeyserUrl);
    if (geyserUrls.length > 0) {
      const { YellowstoneFeed } = await import('./yellowstone-feed.js');
      return new YellowstoneFeed({ urls: geyserUrls });
    }
    const silenceMs = Math.max(this.options.watch.staleMs, 10_000);
    return new SocketFeed({ urls: this.feedUrls, silenceMs, maxMessageBytes: this.options.maxPushBytes });
  }

  /** What one node says about how the published chain continues. Null when it lost the branch while that was walked. */
  private async look({ published, watch, signal }: Session): Promise<Look | null> {
    const { historyThreshold, run } = this.options;
    try {
      const look = await this.rpc.useAny(
        async (endpoint: SolanaEndpoint): Promise<Look> => {
          const tips = await endpoint.tips(signal);
          watch.answered(endpoint);
          const far = tips.confirmed - published.head.height > historyThreshold;
          watch.looked(!far);
          return {
            tips,
            far,
            branch: await findSolanaBranch(endpoint, {
              ...{ published, tips, maxSlots: run.slotsPerList, read: this.readOne(far, signal) },
              signal,
            }),
          };
        },
        signal,
        { what: 'slots', height: published.head.height + 1 },
      );
      const { confirmed, finalized } = look.tips;
      if (finalized !== null) this.finalized = Math.max(finalized, this.finalized ?? 0);
      watch.saw(confirmed, published.head);
      this.deps.observer.lag?.(confirmed, Math.max(0, confirmed - published.head.height));
      return look;
    } catch (error) {
      if (error instanceof EpochBrokenError) {
        // Either one node serves another chain, or all of them do and the epoch is over.
        await this.checkGenesis(published.reference.genesisHash, signal);
        throw error;
      }
      if (!(error instanceof RpcError) || !isMissing(error) || error.kind === 'pruned') throw error;
      await watch.lostBranch(error, signal);
      return null;
    }
  }

  /** Blocks of history are compared before they are published, at the head once they are. */
  private readOne(far: boolean, signal: AbortSignal): ReadOne {
    const by = far ? this.opinions : this.reader;
    return (endpoint, slot) => by.read(endpoint, slot, signal);
  }

  /** Publishes a branch; the retraction goes out together with the first block that replaces. */
  private async *advance(session: Session, look: Look, branch: SolanaBranch): AsyncIterable<SourceItem[]> {
    const { published, decoding } = session;
    const { observer, decoding: keeper } = this.deps;
    const { far, tips } = look;
    const first = branch.first.block.slot;
    // Blocks that may still be replaced are left for later looks, but one is always taken: it may replace others.
    const settled = tips.finalized ?? tips.confirmed - this.options.historyMargin;
    const to = Math.max(first, far ? settled : tips.confirmed);
    observer.state?.(far ? 'history' : 'head');
    let retract: BlockRef | null = null;
    if (branch.ancestor.height < published.head.height) {
      retract = branch.ancestor;
      keeper.ahead();
      decoding.rollback(retract.height);
      this.forgetAbove(retract.height);
    }
    const abort = new AbortController();
    const meter = new ProgressMeter(first, to);
    const signal = AbortSignal.any([session.signal, abort.signal]);
    const run = new BlockRun(
      this.rpc,
      this.readOne(far, signal),
      { ...this.options.run, completesLists: far },
      branch,
      to,
      signal,
    );
    const source = far ? 'history' : 'http';
    let previous: BlockRef = branch.ancestor;
    try {
      for (;;) {
        const taken = await run.take();
        // A retraction is owed to the log once the decoding has gone back.
        if (taken === null || (this.opinions.troubled && retract === null)) return;
        const blocks: ReadBlock[] = [];
        for (const next of taken) {
          if (!follows(next.block, previous)) {
            // Reorganized, or an inconsistent response: the next look tells. What is final is not reorganized.
            if (far) await this.opinions.judge({ answer: answerOf(next), ownFits: false, final: true }, signal);
            break;
          }
          session.misfit = this.trail.follow(next);
          if (session.misfit !== null) break;
          blocks.push(next);
          previous = refAfter(next, previous);
        }
        if (blocks.length === 0) return;
        yield* this.publish(session, { blocks, source, observedAt: Date.now(), retract });
        retract = null;
        if (far) observer.progress?.(meter.at(published.head.height));
        if (blocks.length < taken.length) return;
      }
    } finally {
      abort.abort(new Error('the run ended'));
    }
  }

  /** A pushed block that does not agree with itself or with the blocks before counts for nothing: the nodes are asked. */
  private async *pushed(session: Session, { block, observedAt }: PushedBlock): AsyncIterable<SourceItem[]> {
    const read = describeBlock(block, 0, FEED);
    if (isBroken(read) || this.trail.follow(read) !== null) return session.watch.look();
    this.deps.observer.state?.('head');
    yield* this.publish(session, { blocks: [read], source: 'stream', observedAt, retract: null });
  }

  /** Publishes consecutive blocks in one batch. */
  private async *publish(
    { published, decoding, signal }: Session,
    { blocks, source, observedAt, retract }: Batch,
  ): AsyncIterable<SourceItem[]> {
    const { decoding: keeper } = this.deps;
    let before: BlockRef = retract ?? published.head;
    const raw = blocks.map((read): RawSolanaBlock => {
      const next = rawBlock(read, source, before, observedAt, this.opinions.proofAt(read.block.slot));
      before = ref(next);
      return next;
    });
    const prepared = await decoding.prepare(raw, this.reads, signal);
    keeper.ahead();
    const items: SourceItem[] = raw.map((block) => ({ kind: 'block', block: decoding.build(block, prepared) }));
    if (retract) items.unshift({ kind: 'retract', to: refOf(retract) });
    const seal = retract ? null : this.seal(published, raw.map(ref));
    if (seal) items.push(seal);
    for (const { block, node, digest } of blocks) {
      this.recent.remember(block.slot, node, digest);
      if (block.incomplete) this.deps.observer.doubtful?.(block.slot, NO_CALLS, true);
    }
    yield items;
    await keeper.inStep(published);
    for (const read of blocks) this.opinions.later(read, source !== 'history', signal);
  }

  /**
   * Settles what was found to be wrong: a false block that was published is retracted with all that came after it. The next look
   * reads again from there, and not from the node that gave it.
   */
  private async *mend(session: Session): AsyncIterable<SourceItem[]> {
    const { published, decoding, watch, signal } = session;
    const final = (slot: number): boolean => this.finalized !== null && slot <= this.finalized;
    const { misfit } = session;
    session.misfit = null;
    let lowest = misfit === null ? null : await this.trail.settle(misfit, final, signal);
    if (lowest === 'waits') {
      lowest = null;
      await watch.wait(signal);
    }
    const lie = await this.opinions.settle(final, signal);
    if (lie !== null) lowest = Math.min(lie, lowest ?? lie);
    watch.look();
    if (lowest === null || lowest > published.head.height) return;
    const to = await blockBelow(published, lowest);
    this.deps.decoding.ahead();
    decoding.rollback(to.height);
    this.forgetAbove(to.height);
    yield [{ kind: 'retract', to: refOf(to) }];
    await this.deps.decoding.inStep(published);
  }

  /** The blocks above a slot are gone, and with them what is known of balances. */
  private forgetAbove(slot: number): void {
    this.recent.forgetFrom(slot + 1);
    this.trail.clear();
  }

  /** Nothing new: what became final meanwhile is sealed. */
  private async *rest({ published }: Session): AsyncIterable<SourceItem[]> {
    const seal = this.seal(published, []);
    if (seal) yield [seal];
    this.deps.observer.state?.('head');
  }

  private seal(published: PublishedChain, fresh: readonly BlockRef[]): SourceItem | null {
    return dueSeal({
      rule: this.deps.chain.finality,
      published,
      fresh,
      tip: fresh.at(-1) ?? published.head,
      finalizedHeight: this.finalized,
      stride: this.sealStride,
    });
  }
}

const NO_CALLS = 'no node tells how some of its transactions ended, or what they called';
