import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EvmChains } from '#apps/router/src/evm/evm-chains.js';
import { poolToken } from '#apps/router/src/evm/native-coin.js';
import type { EvmChainServices } from '#apps/router/src/evm/ports.js';
import { MemoryHeldQuotes } from '#apps/router/src/held/memory-held-quotes.js';
import { createReceiptKeeper, type ReceiptKeeper } from '#apps/router/src/receipts/receipt-keeper.js';
import { createRouter, type RunningRouter } from '#apps/router/test/create-router.js';
import { chainSpec, routedEvmChains } from '#libs/chain/catalogue/catalogue.js';
import { NodePools } from '#libs/chain/chains/rpc/node-pools.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import { removeFolder } from '#libs/devkit/testing/remove-folder.js';
import { untilAnswer } from '#libs/devkit/testing/until.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { silentLogger } from '#libs/platform/logger.js';
import { Supervisor } from '#libs/platform/supervisor.js';
import { ChainWorld, type ChainWorldOptions, openWorldLog } from './chain-world.js';

type Slug = ChainWorldOptions['slug'];

export interface RouterWorldOptions extends Pick<ChainWorldOptions, 'seed' | 'historyBlocks' | 'rpcUrls'> {
  /** Before the router knows the chain's node. */
  beforeServices?: (chain: ChainWorld, spec: ChainSpec) => Promise<void>;
  /** False: the world opens before the router can trade. */
  ready?: boolean;
}

export interface RouterAnswer<T = Record<string, unknown>> {
  status: number;
  body: T;
  headers: Headers;
}

/** The router over real local chains, asked over HTTP as a client asks it. */
export class RouterWorld {
  readonly worlds = new Map<Slug, ChainWorld>();
  readonly evm: EvmChains;
  private readonly receipts: ReceiptKeeper;
  private readonly supervisor: Supervisor;
  private router: RunningRouter | null = null;

  private constructor(
    private readonly dir: string,
    readonly log: EventLog,
  ) {
    const specs = routedEvmChains();
    const logger = silentLogger;
    this.receipts = createReceiptKeeper({ log, chains: specs, poolToken, logger });
    this.evm = new EvmChains({
      ...{ specs, log, logger, nodePools: new NodePools(), disabledVenues: [] },
      onFacts: (chain, facts) => this.receipts.onFacts(chain, facts),
    });
    this.supervisor = new Supervisor({ logger });
    this.supervisor.start(this.receipts);
  }

  static async open(slugs: readonly Slug[], options: RouterWorldOptions): Promise<RouterWorld> {
    const dir = await mkdtemp(join(tmpdir(), 'tidepool-router-'));
    const world = new RouterWorld(dir, await openWorldLog(dir));
    try {
      for (const slug of slugs) {
        const chain = await ChainWorld.start({ ...options, slug, dir, log: world.log });
        world.worlds.set(slug, chain);
        await options.beforeServices?.(chain, chainSpec(slug)!);
        const { local, rpcUrls, supervisor } = chain;
        const node = { rpcUrls, codePins: local.codePins, demoRpcUrl: local.rpcUrl };
        for (const stage of world.evm.open(slug, node)) supervisor.start(stage);
      }
      world.router = await createRouter({
        accounts: null,
        logger: silentLogger,
        version: '1.2.3',
        chains: world.evm.chains,
        held: new MemoryHeldQuotes(),
        receipts: world.receipts,
      });
      if (options.ready !== false) for (const slug of slugs) await world.caughtUp(slug);
      return world;
    } catch (error) {
      await world.close();
      throw error;
    }
  }

  get url(): string {
    return this.router!.url;
  }

  chain(slug: Slug): ChainWorld {
    return this.worlds.get(slug)!;
  }

  services(slug: Slug): EvmChainServices {
    return this.evm.chains.find(({ spec }) => spec.slug === slug)!.services!;
  }

  /** Waits until quotes are priced at the node's newest block and every venue is verified. */
  async caughtUp(slug: Slug): Promise<{ height: number; hash: string }> {
    const chain = this.chain(slug);
    return untilAnswer(`${slug} at its head (${chain.errors.join('; ')})`, async () => {
      const head = await chain.head();
      const services = this.services(slug);
      const verified = services.venues.rows().every(({ servable }) => servable);
      return verified && services.head()?.hash === head.hash && services.book.head?.hash === head.hash ? head : null;
    });
  }

  async get<T>(path: string): Promise<RouterAnswer<T>> {
    return read(await fetch(this.url + path));
  }

  async post<T>(path: string, body: unknown): Promise<RouterAnswer<T>> {
    return read(await fetch(this.url + path, { method: 'POST', body: JSON.stringify(body) }));
  }

  async close(): Promise<void> {
    await this.router?.close();
    await this.supervisor.stop();
    for (const chain of this.worlds.values()) await chain.supervisor.stop();
    await this.evm.close();
    for (const chain of this.worlds.values()) await chain.close();
    await this.log.close();
    await removeFolder(this.dir);
  }
}

async function read<T>(response: Response): Promise<RouterAnswer<T>> {
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: (text === '' ? null : JSON.parse(text)) as T };
}
