import { decoderVersion } from '#libs/chain/catalogue/own-reference.js';
import { RpcError } from '#libs/chain/chains/rpc/rpc-error.js';
import { isGeyserUrl } from '#libs/chain/chains/solana/geyser/geyser-address.js';
import type { BlockFeed } from '#libs/chain/chains/solana/rpc/block-feed.js';
import { isMissing, type SolanaEndpoint, type Tips } from '#libs/chain/chains/solana/rpc/endpoint.js';
import { fetchAccounts } from '#libs/chain/chains/solana/rpc/node-accounts.js';
import type { NodeBlock } from '#libs/chain/chains/solana/rpc/node-block.js';
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
import { refOf } from '../heights.js';
import { checkGenesis, countError, isHttp, nodeStates } from '../nodes.js';
import { ProgressMeter } from '../progress-meter.js';
import { dueSeal } from '../seal.js';
import { BlockRun } from './block-run.js';
import { findSolanaBranch, follows, type SolanaBranch } from './branch.js';
import { SolanaHeadWatch } from './head-watch.js';
import { type SolanaSourceOptions, type SolanaSourceOverrides, withDefaults } from './options.js';
import type { AccountReads, RawSolanaBlock, SolanaDecoding, SolanaDecodingKeeper } from './raw-block.js';
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
  readonly signal: AbortSignal;
}

/**
 * A Solana chain over JSON-RPC: a height is a slot, and slots without a block are left out. A block is published when it
 * names the published head as its parent, by slot and hash; whatever does not fit, a gap or a fork, is settled by walking
 * back from what one node says to a published block. When that node contradicts itself, the decision is made again with
 * the next. A feed that pushes blocks only saves the questions.
 */
export class SolanaSource implements ChainSource {
  readonly decoderVersion: number;
  private readonly rpc: SolanaPool;
  private readonly options: SolanaSourceOptions;
  private readonly feedUrls: readonly string[];
  private readonly reads: AccountReads;
  private feed: BlockFeed | null = null;
  private finalized: number | null = null;
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
      onError: (error) => countError(error, observer),
      onRecovered: (endpoint) => observer.rpcRecovered?.(endpoint.index),
    });
    this.reads = {
      accounts: (addresses, minSlot, signal) =>
        this.rpc.use((endpoint) => fetchAccounts(endpoint, addresses, minSlot, signal), signal),
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
    const session: Session = { published, decoding, watch, signal };
    this.feed = feed;
    this.finalized = null;
    try {
      for (;;) {
        signal.throwIfAborted();
        const pushed = watch.next(published.head);
        if (pushed) {
          observer.state?.('head');
          yield* this.publish(session, [rawBlock(pushed.block, 'stream', published.head, pushed.observedAt)], null);
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
      const look = await this.rpc.useAny(async (endpoint: SolanaEndpoint): Promise<Look> => {
        const tips = await endpoint.tips(signal);
        watch.answered(endpoint);
        const far = tips.confirmed - published.head.height > historyThreshold;
        watch.looked(!far);
        return {
          tips,
          far,
          branch: await findSolanaBranch(endpoint, published, tips.confirmed, run.slotsPerList, signal),
        };
      }, signal);
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
    }
    const abort = new AbortController();
    const meter = new ProgressMeter(first, to);
    const run = new BlockRun(this.rpc, this.options.run, branch, to, AbortSignal.any([session.signal, abort.signal]));
    let previous = branch.ancestor;
    try {
      for (;;) {
        const taken = await run.take();
        if (taken === null) return;
        const raw: RawSolanaBlock[] = [];
        for (const block of taken) {
          if (!follows(block, previous)) break; // reorganized, or an inconsistent response: the next look tells
          const next = rawBlock(block, far ? 'history' : 'http', previous, Date.now());
          raw.push(next);
          previous = ref(next);
        }
        if (raw.length === 0) return;
        yield* this.publish(session, raw, retract);
        retract = null;
        if (far) observer.progress?.(meter.at(published.head.height));
        if (raw.length < taken.length) return;
      }
    } finally {
      abort.abort(new Error('the run ended'));
    }
  }

  /** Publishes consecutive blocks in one batch. */
  private async *publish(
    { published, decoding, signal }: Session,
    blocks: readonly RawSolanaBlock[],
    retract: BlockRef | null,
  ): AsyncIterable<SourceItem[]> {
    const { decoding: keeper } = this.deps;
    const prepared = await decoding.prepare(blocks, this.reads, signal);
    keeper.ahead();
    const items: SourceItem[] = blocks.map((raw) => ({ kind: 'block', block: decoding.build(raw, prepared) }));
    if (retract) items.unshift({ kind: 'retract', to: refOf(retract) });
    const seal = retract ? null : this.seal(published, blocks.map(ref));
    if (seal) items.push(seal);
    yield items;
    await keeper.inStep(published);
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

/** A block that continues `before`; one without a time of its own has that of the block before. */
function rawBlock(
  { slot, parentSlot, hash, parentHash, time, transactions }: NodeBlock,
  source: RawSolanaBlock['source'],
  before: BlockRef,
  observedAt: number,
): RawSolanaBlock {
  const block = { slot, parentSlot, hash, parentHash, time: time ?? before.time };
  return { ...block, source, observedAt, transactions };
}

const ref = ({ slot, hash, parentHash, time }: RawSolanaBlock): BlockRef => ({ height: slot, hash, parentHash, time });
