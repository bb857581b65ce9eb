import type { ChainEndpoint, ChainEndpoints } from '#libs/app/modules/chain-endpoints.js';
import { TidepoolError } from '#libs/core/errors.js';
import { type LocalSlug, startLocalChain } from '#libs/devkit/devnet/evm/local-chain.js';
import { MARKETS } from '#libs/devkit/devnet/evm/markets/all.js';
import {
  type LocalSolanaMarket,
  startLocalSolanaMarket,
} from '#libs/devkit/devnet/solana/market/local-solana-market.js';
import { SeededKey } from '#libs/devkit/devnet/solana/market/seeded-key.js';
import type { ChainConfig } from '#libs/platform/config.js';
import type { Logger } from '#libs/platform/logger.js';
import type { Runtime } from '#libs/platform/runtime.js';
import { BackpressureGuard, type PausableChain } from './backpressure-guard.js';

/** A local chain of this instance, whatever its family. */
interface StartedChain extends PausableChain {
  stop(): Promise<void>;
}

/** What the status tells of a local chain that runs: its node answers on this machine alone. */
interface DemoNode {
  rpcUrl: string;
  /** Solana: the deployment of the swap program that the router serves. */
  swapProgram?: string;
}

/** The local chains of an instance, each from the moment it answers until it ends. */
class LocalChains {
  private readonly started: StartedChain[] = [];
  private readonly brakes = new Map<string, BackpressureGuard>();
  private readonly running = new Map<string, DemoNode>();

  /** `sealed` says how far the chain's reader has come. */
  add(slug: string, chain: StartedChain, node: DemoNode, sealed: () => number | null, logger: Logger): void {
    this.started.push(chain);
    this.running.set(slug, node);
    const said = (held: boolean) =>
      logger.warn({ chain: slug }, held ? 'the local chain waits for its reader' : 'the local chain goes on');
    this.brakes.set(slug, new BackpressureGuard(chain, sealed, said));
  }

  ended(slug: string): void {
    this.brakes.get(slug)?.close();
    this.running.delete(slug);
  }

  nodes(): Record<string, DemoNode> {
    return Object.fromEntries(this.running);
  }

  async stop(): Promise<void> {
    this.running.clear();
    for (const brake of this.brakes.values()) brake.close();
    for (const chain of this.started) await chain.stop();
  }
}

/** All chains but the first are quiet: their traders and blocks must leave the machine's time to the first. */
const FIRST = { historyBlocks: 600, blockTimeMs: 1_000 };
const DAY_SECONDS = 86_400;
const OTHERS = { historyBlocks: 150, blockTimeMs: 3_000, quiet: true };

/** Where the chains of an instance answer: local ones are made one after the other, on `begin`. */
export class LocalEndpoints implements ChainEndpoints {
  readonly localChains = new LocalChains();
  private readonly known = new Map<string, { endpoint: Promise<ChainEndpoint>; found: (at: ChainEndpoint) => void }>();

  constructor(private readonly runtime: Runtime) {}

  of(chain: string): Promise<ChainEndpoint> {
    return this.entry(chain).endpoint;
  }

  /**
   * Finds or makes the node of each chain, in the order of the configuration. `next` is awaited after each; `sealed` says
   * how far a chain was read.
   */
  async begin(
    sealed: (slug: string) => number | null,
    next: (config: ChainConfig, index: number) => Promise<void>,
  ): Promise<void> {
    const { localChains } = this;
    for (const [index, config] of this.runtime.config.chains.entries()) {
      this.entry(config.slug).found(await nodesOf(this.runtime, config, { first: index === 0, localChains, sealed }));
      await next(config, index);
    }
  }

  private entry(chain: string) {
    let entry = this.known.get(chain);
    if (entry === undefined) {
      let found: (at: ChainEndpoint) => void = () => undefined;
      const endpoint = new Promise<ChainEndpoint>((resolve) => {
        found = resolve;
      });
      entry = { endpoint, found };
      this.known.set(chain, entry);
    }
    return entry;
  }
}

/** The nodes that the configuration names, or the local chain of this instance. */
async function nodesOf(
  runtime: Runtime,
  config: ChainConfig,
  options: { first: boolean; localChains: LocalChains; sealed: (slug: string) => number | null },
): Promise<ChainEndpoint> {
  const { slug, family, rpcUrls, startHeight, codePins } = config;
  if (!config.local) return { rpcUrls, startHeight, codePins, demoRpcUrl: null };
  const { folder, logger } = runtime;
  const fields = { chain: slug };
  logger.info(fields, 'no node is configured: starting a local chain');
  const { blockTimeMs, ...size } = options.first ? FIRST : OTHERS;
  const { localPace: pace } = runtime.config;
  const past = pace > 1 ? { pace, historyEnd: Math.floor(Date.now() / 1000) - DAY_SECONDS } : {};
  const sealed = (): number | null => options.sealed(slug);
  const common = {
    ...{ dataDir: folder.path('local-chain', slug), reorgs: true, ...size, ...past },
    onFailure: (error: Error) => {
      options.localChains.ended(slug);
      logger.error({ ...fields, err: error }, 'the local chain stopped');
    },
    onProgress: (progress: { phase: string; done: number; total: number }) => {
      if (progress.phase === 'ready' || progress.done % 100 === 0) {
        logger.info({ ...fields, ...progress }, 'local chain: making its history');
      }
    },
  };
  if (family === 'solana') {
    const market = await startLocalSolanaMarket({ ...common, slotMs: blockTimeMs });
    const { rpcUrl, wsUrl, oldestHeight, programs } = market;
    options.localChains.add(slug, market, { rpcUrl, swapProgram: programs.swap }, sealed, logger);
    const demo = { demoRpcUrl: rpcUrl, swapProgram: programs.swap, bundles: await localBundles(market, slug) };
    return { rpcUrls: [rpcUrl, wsUrl], startHeight: oldestHeight, codePins: new Map(), ...demo };
  }
  if (!isLocalSlug(slug)) throw new TidepoolError('no_local_chain', `${slug} has no local chain: configure a node`);
  const local = await startLocalChain({ ...common, chain: slug, blockTimeMs });
  const { rpcUrl, wsUrl, oldestHeight } = local;
  options.localChains.add(slug, local, { rpcUrl }, sealed, logger);
  // Of interest to a new log alone: one that began earlier keeps its beginning.
  return { rpcUrls: [rpcUrl, wsUrl], startHeight: oldestHeight, codePins: local.codePins, demoRpcUrl: rpcUrl };
}

/** Coins of a local chain have no worth: a reader of this may sign with the key. */
async function localBundles(market: LocalSolanaMarket, slug: string): Promise<NonNullable<ChainEndpoint['bundles']>> {
  const key = new SeededKey(`tips of the local chain ${slug}`);
  if (!market.resumed) await market.fund(key.address, { lamports: 100_000_000_000n });
  return { url: market.rpcUrl, tipKey: key.secret };
}

const isLocalSlug = (slug: string): slug is LocalSlug => Object.hasOwn(MARKETS, slug);

/** Whether a local chain of it can be run. */
export const hasLocalChain = ({ slug, family }: Pick<ChainConfig, 'slug' | 'family'>): boolean =>
  family === 'solana' || isLocalSlug(slug);
