import { decoderVersion } from '#libs/chain/catalogue/own-reference.js';
import { ContractReader } from '#libs/chain/chains/evm/contract-reader.js';
import type { RpcEndpoint } from '#libs/chain/chains/evm/rpc/endpoint.js';
import { RpcPool } from '#libs/chain/chains/evm/rpc/rpc-pool.js';
import { NodeMemory, nodesFile } from '#libs/chain/chains/rpc/node-memory.js';
import { RpcError } from '#libs/chain/chains/rpc/rpc-error.js';
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
import type { KnownStore } from '#libs/pipeline/state/saved/known-store.js';
import { refOf } from '../heights.js';
import { KnownSetKeeper } from '../known-set-keeper.js';
import { checkGenesis, countError, isHttp, nodeStates, UNCLEAR_REFUSALS } from '../nodes.js';
import { ProgressMeter } from '../progress-meter.js';
import { dueSeal } from '../seal.js';
import { BalanceSamples } from './balance-samples.js';
import { BlockBuilder } from './block-builder.js';
import { type BlockReading, fetchBlock, fetchGenesis, fetchHeaders, fetchTip, type Tip } from './block-fetch.js';
import { type EvmBranch, findAncestor, findEvmBranch } from './branch.js';
import { type Discovery, type DiscoveryRequest, EvmDiscoverer } from './discovery.js';
import { Emitters } from './emitters.js';
import { FinalityLook } from './finality-look.js';
import { EvmHeadWatch } from './head-watch.js';
import { HistoryFetcher } from './history.js';
import { KnownSet } from './known-set.js';
import { type EvmSourceOptions, type EvmSourceOverrides, withDefaults } from './options.js';
import type { Header, RawBlock } from './raw-block.js';
import { ReceiptProof } from './receipt-proof.js';
import { needOfReceipts } from './receipts.js';
import { SuspectNodes } from './suspect-nodes.js';
import { type TopicSet, topicSet } from './topic-set.js';
import { trustedHooks } from './trusted-hooks.js';

export interface EvmSourceDeps {
  chain: ChainSpec;
  rpcUrls: readonly string[];
  dataDir: string;
  /** Absent: in `dataDir`. */
  nodesFile?: string;
  observer: SourceObserver;
  options?: EvmSourceOverrides;
}

interface Fetched {
  raw: RawBlock;
  discovery: Discovery;
}

interface FirstStep {
  tip: Tip;
  /** How the chain continues, with its first block; null where nothing is new, or the gap is closed by ranges. */
  ahead: { branch: EvmBranch; fetched: Fetched } | null;
  far: boolean;
}

/** What is published from: the log as it is, and what is known of it, which runs ahead of it by one batch. */
interface Session {
  readonly published: PublishedChain;
  readonly known: KnownSet;
  readonly builder: BlockBuilder;
  readonly watch: EvmHeadWatch;
  readonly samples: BalanceSamples;
  readonly signal: AbortSignal;
}

/**
 * An EVM chain over JSON-RPC: history in parallel ranges, then block by block at the head. Whatever a node says is
 * checked against the header it belongs to before anything is published, and everything of one decision comes from one
 * node; when a node contradicts itself, the whole decision is made again with the next.
 */
export class EvmSource implements ChainSource {
  readonly decoderVersion: number;
  private readonly rpc: RpcPool;
  private readonly topics: TopicSet;
  private readonly trustedHooks = new Set<Hex>();
  private readonly reader: ContractReader;
  private readonly discoverer: EvmDiscoverer;
  private readonly reading: BlockReading;
  private readonly emitters: Emitters;
  private readonly suspects: SuspectNodes;
  private readonly options: EvmSourceOptions;
  private readonly socketUrls: readonly string[];
  private readonly keeper: KnownSetKeeper<KnownSet>;
  private watch: EvmHeadWatch | null = null;
  private readonly readsOldState = { available: true };
  private readonly finality: FinalityLook;
  /** A published seal later than this many blocks after the one before. */
  private readonly sealStride: number;

  constructor(private readonly deps: EvmSourceDeps) {
    const { chain, rpcUrls, observer } = deps;
    if (!chain.evm || chain.chainId === null) throw new TidepoolError('wrong_family', `${chain.slug} is no EVM chain`);
    this.options = withDefaults(chain, deps.options);
    this.topics = topicSet(chain, this.trustedHooks);
    this.decoderVersion = decoderVersion(chain);
    this.reader = new ContractReader(chain.evm.multicall3);
    this.discoverer = new EvmDiscoverer(this.topics, this.reader);
    this.socketUrls = rpcUrls.filter((url) => !isHttp(url));
    this.sealStride = Math.ceil(5_000 / chain.blockTimeMs);
    this.finality = new FinalityLook(this.sealStride, this.options.watch.staleMs);
    const create = (store: KnownStore): KnownSet => new KnownSet(this.topics.sites, store, this.options.askAgain);
    this.keeper = new KnownSetKeeper(deps.dataDir, chain.slug, observer, create);
    const { proves = ['blooms', 'header hashes'] } = chain.evm;
    const blooms = proves.includes('blooms');
    this.rpc = new RpcPool({
      ...this.options.rpc,
      urls: rpcUrls.filter(isHttp),
      unclearRefusals: UNCLEAR_REFUSALS,
      chainId: chain.chainId,
      hashesHeaders: proves.includes('header hashes'),
      memory: new NodeMemory(deps.nodesFile ?? nodesFile(deps.dataDir, chain.slug), (e) => observer.cacheFailed?.(e)),
      onError: (error, endpoint) => {
        countError(error, observer);
        this.suspects.failed(error, endpoint);
      },
      onRecovered: (endpoint) => observer.rpcRecovered?.(endpoint.index),
    });
    this.reading = {
      ...{ rpc: this.rpc, topics: this.topics, blooms, proof: new ReceiptProof(this.rpc, observer, blooms) },
      everyReceipt: this.options.proof === 'every',
    };
    this.emitters = new Emitters(chain);
    this.suspects = new SuspectNodes(this.reading);
  }

  async start(wished: number | undefined, signal: AbortSignal): Promise<EpochStart> {
    return this.rpc.use(async (endpoint) => {
      const genesis = await fetchGenesis(endpoint, signal);
      const { latest } = await fetchTip(endpoint, { finalized: false, expected: null }, signal);
      const startHeight = wished ?? Math.max(0, latest.height - this.options.defaultHistoryBlocks);
      if (startHeight > latest.height) {
        throw endpoint.error('server', `its head ${latest.height} is below the start height ${startHeight}`);
      }
      const none = { height: -1, hash: '', parentHash: '', time: genesis.time };
      if (startHeight === 0) return { genesisHash: genesis.hash, startHeight, base: none };
      const [base] = await fetchHeaders(endpoint, [startHeight - 1], signal);
      if (!base) throw endpoint.error('server', `no block at height ${startHeight - 1}`);
      return { genesisHash: genesis.hash, startHeight, base: refOf(base) };
    }, signal);
  }

  async checkGenesis(genesisHash: Hex, signal: AbortSignal): Promise<void> {
    const genesisOf = async (endpoint: RpcEndpoint): Promise<Hex> => (await fetchGenesis(endpoint, signal)).hash;
    await checkGenesis(this.rpc, genesisOf, genesisHash, signal);
  }

  /** Before the first block: the code of a contract stays what it is. */
  private async trustHooks(signal: AbortSignal): Promise<void> {
    const { pinnedHooks } = this.deps.chain;
    if (pinnedHooks.length === 0) return;
    const trusted = await this.rpc.use((endpoint) => trustedHooks(endpoint, pinnedHooks, signal), signal);
    for (const address of trusted) this.trustedHooks.add(address);
  }

  async *follow(published: PublishedChain, signal: AbortSignal): AsyncIterable<SourceItem[]> {
    const { observer } = this.deps;
    const known = await this.keeper.loadKnown(published, signal);
    const isOwn = published.reference.decoderVersion === this.decoderVersion;
    const builder = new BlockBuilder(this.topics, known, isOwn);
    const samples = new BalanceSamples(this.reader, isOwn && this.options.sampleBalances ? this.rpc.endpoints : []);
    await this.trustHooks(signal);
    const watch = new EvmHeadWatch(this.rpc, this.socketUrls, this.options.watch, observer);
    const session: Session = { published, known, builder, watch, samples, signal };
    this.watch = watch;
    this.suspects.endsAt(published.head.height);
    try {
      for (;;) {
        signal.throwIfAborted();
        if (this.suspects.any) yield* this.readAgain(session);
        const step = await this.firstStep(session);
        if (step === null) continue;
        const { tip, ahead } = step;
        watch.saw(tip.latest.height, published.head);
        this.tellLag(published, tip);
        if (step.far) {
          observer.state?.('history');
          yield* this.history(session, tip);
        } else if (ahead) {
          observer.state?.('head');
          yield* this.advance(session, tip, ahead.branch, ahead.fetched);
          this.tellLag(published, tip);
          // All that the node has is published: what comes next is announced, or comes after the usual pause.
          if (published.head.hash === tip.latest.hash) await watch.wait(signal);
        } else {
          const seal = this.seal(published, [], tip);
          if (seal) yield [seal];
          observer.state?.('head');
          await watch.wait(signal);
        }
      }
    } finally {
      this.watch = null;
      watch.close();
      await this.keeper.save(published);
      await this.keeper.close();
    }
  }

  private tellLag({ head }: PublishedChain, { latest }: Tip): void {
    this.deps.observer.lag?.(latest.height, Math.max(0, latest.height - head.height));
  }

  nodes(): NodeState[] {
    return nodeStates(this.deps.rpcUrls, this.rpc, (url) => this.watch?.socketProblem(url) ?? null);
  }

  async close(): Promise<void> {
    await this.rpc.close();
  }

  /**
   * Looks at the tip and fetches all that is needed for the first new block, from one node. Null when the node lost the
   * branch while it was walked: then the tip has to be looked at again.
   */
  private async firstStep(session: Session): Promise<FirstStep | null> {
    const { published, watch, signal } = session;
    try {
      return await this.rpc.use(async (endpoint): Promise<FirstStep> => {
        const tip = await this.lookAtTip(endpoint, session);
        watch.answered(endpoint);
        const far = tip.latest.height - published.head.height > this.options.historyThreshold;
        if (far || tip.latest.hash === published.head.hash) return { tip, ahead: null, far };
        const branch = await findEvmBranch(endpoint, published, tip, signal);
        if (!branch) return { tip, ahead: null, far };
        const fetched = await this.fetchHead(endpoint, branch.headers[0]!, session, branch.ancestor.height);
        return { tip, ahead: { branch, fetched }, far };
      }, signal);
    } catch (error) {
      if (error instanceof EpochBrokenError) await this.explainBreak(published, error, signal);
      if (!(error instanceof RpcError) || error.kind !== 'unknown-block') throw error;
      await watch.lostBranch(error, signal);
      return null;
    }
  }

  /** The node's newest block, with its receipts where it is the one that was announced, and the finality that is known. */
  private async lookAtTip(endpoint: RpcEndpoint, { published, watch, signal }: Session): Promise<Tip> {
    const { height, hash } = published.head;
    const finalized =
      this.deps.chain.finality.source === 'finalized-tag' && this.finality.isDue(endpoint.index, height);
    const announced = watch.takeAnnounced();
    const hasReceipts = announced !== hash && !this.rpc.isLacking(endpoint, needOfReceipts(height + 1));
    const tip = await fetchTip(endpoint, { finalized, expected: hasReceipts ? announced : null }, signal);
    if (finalized) this.finality.answered(endpoint.index, height, tip.latest.height, tip.finalizedHeight);
    return { ...tip, finalizedHeight: this.finality.height };
  }

  /** Publishes a branch block by block; the retraction goes out together with the first block that replaces. */
  private async *advance(
    session: Session,
    tip: Tip,
    { ancestor, headers }: EvmBranch,
    first: Fetched,
  ): AsyncIterable<SourceItem[]> {
    const { published, known, builder, samples, signal } = session;
    const retracts = ancestor.height < published.head.height;
    this.keeper.ahead();
    if (retracts) known.rollback(ancestor.height);
    for (const [n, header] of headers.entries()) {
      let next = first;
      if (n > 0) {
        try {
          next = await this.rpc.use((endpoint) => this.fetchHead(endpoint, header, session, header.height - 1), signal);
        } catch (error) {
          if (!(error instanceof RpcError) || error.kind !== 'unknown-block') throw error;
          return; // reorganized meanwhile: the next look at the tip tells
        }
      }
      this.keeper.ahead();
      const block = samples.beside(builder.build(next.raw, next.discovery));
      const items: SourceItem[] = [{ kind: 'block', block }];
      if (n === 0 && retracts) items.unshift({ kind: 'retract', to: refOf(ancestor) });
      const seal = n === 0 && retracts ? null : this.seal(published, [refOf(header)], tip);
      if (seal) items.push(seal);
      yield items;
      await this.keeper.inStep(published);
      void samples.ask(block, next.raw.node, signal);
    }
  }

  private async fetchHead(
    endpoint: RpcEndpoint,
    header: Header,
    { known, watch, signal }: Session,
    knownHeight: number,
  ): Promise<Fetched> {
    const source = watch.announced(header.hash) ? 'stream' : 'http';
    const reading = this.options.verifyHead ? this.reading : { ...this.reading, proof: null };
    const raw = await fetchBlock(endpoint, header, reading, source, signal);
    const waiting = known.nextToAnchor(knownHeight, this.options.anchorsPerBlock);
    const unfinished = known.nextToAsk(knownHeight, this.options.tokensPerBlock);
    const at = { blockHash: `0x${header.hash}` };
    const { rpc } = this;
    const readState: DiscoveryRequest['readState'] = (task, height) => rpc.use(task, signal, { what: 'state', height });
    const request = { endpoint, blocks: [raw], known, knownHeight, at, anchor: true, readState, signal };
    return { raw, discovery: await this.discoverer.discover({ ...request, waiting, unfinished }) };
  }

  /** From the published head to the last block that is safe to take by ranges. Ends early where the chain was reorganized. */
  private async *history({ published, known, builder, signal }: Session, tip: Tip): AsyncIterable<SourceItem[]> {
    const ancestor = await this.rpc
      .use(async (endpoint) => {
        const found = await findAncestor(endpoint, published, signal);
        if (found === null) throw endpoint.error('server', `no block at the published height ${published.head.height}`);
        return found;
      }, signal)
      .catch((error) => {
        if (error instanceof EpochBrokenError) return this.explainBreak(published, error, signal);
        throw error;
      });
    if (ancestor.height < published.head.height) {
      this.keeper.ahead();
      known.rollback(ancestor.height);
      yield [{ kind: 'retract', to: refOf(ancestor) }];
      await this.keeper.inStep(published);
    }
    const from = published.head.height + 1;
    const to = Math.max(tip.finalizedHeight ?? 0, tip.latest.height - this.options.historyMargin);
    if (to < from) return;
    const { rpc, reading, discoverer, emitters, readsOldState, suspects } = this;
    const { observer } = this.deps;
    const abort = new AbortController();
    const fetcher = new HistoryFetcher(
      {
        ...{ rpc, reading, discoverer, emitters, readsOldState, known, observer },
        liars: suspects.liars,
        options: this.options.history,
        onGaps: (endpoint) => suspects.leftOut(endpoint),
      },
      from,
      to,
      AbortSignal.any([signal, abort.signal]),
    );
    const meter = new ProgressMeter(from, to);
    try {
      for (;;) {
        const ranges = await fetcher.take();
        if (ranges === null) return;
        for (const blocks of ranges) {
          // What such a node gave waits until it was read again.
          if (blocks.some((raw) => suspects.holdsBack(raw))) return;
          const link = published.head.hash;
          if (link !== '' && blocks[0]!.header.parentHash !== link) return; // reorganized: look for the ancestor again
          const discovery = await fetcher.discover(blocks);
          this.keeper.ahead();
          const items: SourceItem[] = blocks.map((raw) => ({ kind: 'block', block: builder.build(raw, discovery) }));
          const fresh = blocks.map((raw) => refOf(raw.header));
          for (const raw of blocks) suspects.publishes(raw);
          const seal = this.seal(published, fresh, tip);
          if (seal) items.push(seal);
          yield items;
          observer.progress?.(meter.at(published.head.height));
          await this.keeper.inStep(published);
        }
      }
    } finally {
      abort.abort(new Error('history ended'));
    }
  }

  /** Takes the published chain back to below the first block that a node in question gave wrong, below finality too. */
  private async *readAgain({ published, known, signal }: Session): AsyncIterable<SourceItem[]> {
    const lowest = await this.suspects.firstWrong(published, signal);
    if (lowest === null) return;
    const to = await published.refAt(lowest - 1);
    if (to === null) throw new EpochBrokenError(`no published block below ${lowest}, which a node gave wrong`);
    this.keeper.ahead();
    known.rollback(to.height);
    yield [{ kind: 'retract', to }];
    await this.keeper.inStep(published);
  }

  private seal(published: PublishedChain, fresh: readonly BlockRef[], tip: Tip): SourceItem | null {
    return dueSeal({
      rule: this.deps.chain.finality,
      published,
      fresh,
      tip: tip.latest,
      finalizedHeight: tip.finalizedHeight,
      stride: this.sealStride,
    });
  }

  /** No common ancestor: either one node serves another chain, or all of them do and the epoch is over. */
  private async explainBreak(published: PublishedChain, error: EpochBrokenError, signal: AbortSignal): Promise<never> {
    await this.checkGenesis(published.reference.genesisHash, signal);
    throw error;
  }
}
