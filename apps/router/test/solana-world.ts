import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { servedChains } from '#libs/chain/catalogue/catalogue.js';
import { NodePools } from '#libs/chain/chains/rpc/node-pools.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { Hex } from '#libs/core/ids.js';
import { MarketListing } from '#libs/devkit/devnet/solana/market/market-listing.js';
import { MarketRunner } from '#libs/devkit/devnet/solana/market/market-runner.js';
import type { SeededKey } from '#libs/devkit/devnet/solana/market/seeded-key.js';
import { signTransaction } from '#libs/devkit/devnet/solana/market/sign-transaction.js';
import { accountsWithoutLimits } from '#libs/devkit/testing/local-accounts.js';
import { removeFolder } from '#libs/devkit/testing/remove-folder.js';
import { schemaProblems } from '#libs/devkit/testing/schema-check.js';
import { until } from '#libs/devkit/testing/until.js';
import type { PoolRecord } from '#libs/protocol/blocks.js';
import type { PoolBook } from '#libs/routing/pools/pool-book.js';
import type { AccountBook } from '#libs/routing/pools/solana/account-book.js';
import { bookOf, load } from '#libs/routing/pools/solana/test/local-pools.js';
import { type Instruction, idOf } from '#programs/client.js';
import { MemoryHeldQuotes } from '../src/held/memory-held-quotes.js';
import { createSolanaServices, type RunningSolana } from '../src/solana/create-solana-services.js';
import type { SolanaChain } from '../src/solana/ports.js';
import { SolanaVenues } from '../src/solana/venues/solana-venues.js';
import { createRouter, type RouterParts, type RunningRouter } from './create-router.js';
import { noReceipts } from './no-receipts.js';
import type { Reply } from './router-harness.js';

const SEED = 21;
export const COIN = 'So11111111111111111111111111111111111111112';

export interface SolanaWorldOptions {
  keys?: boolean;
  /** Keeps the receipts of the builds; none are kept without it. */
  receipts?: (market: MarketRunner, now: () => number) => Promise<KeptReceipts>;
}

export interface KeptReceipts {
  readonly keeper: RouterParts['receipts'];
  close(): Promise<void>;
}

/** The router's real listener over a local Solana chain with pools, curves and the deployed swap program. */
export class SolanaWorld {
  readonly spec: ChainSpec;
  readonly deployer: SeededKey;
  // biome-ignore lint/suspicious/noExplicitAny: a parsed document
  private document: any;
  private constructor(
    readonly market: MarketRunner,
    readonly router: RunningRouter,
    readonly chain: SolanaChain,
    readonly clock: { ms: number },
    /** What the listener logged as errors. */
    readonly problems: object[],
    /** Null where keys are off. */
    readonly key: string | null,
    private readonly running: RunningSolana,
    /** The pools that the log knows. */
    private readonly logged: PoolBook,
    private readonly end: () => Promise<void>,
  ) {
    this.spec = chain.spec;
    this.deployer = new MarketListing(SEED).deployer;
  }

  static async start(options: SolanaWorldOptions = {}): Promise<SolanaWorld> {
    const market = await MarketRunner.start({
      ...{ seed: SEED, historyBlocks: 12, historySeconds: 3600, autoSlots: false, quiet: true },
    });
    const spec = servedChains().find(({ family }) => family === 'solana')!;
    const venues = new SolanaVenues(spec);
    const book = bookOf(market.contents());
    const running = createSolanaServices({
      ...{ spec, venues, pools: () => book, nodePools: new NodePools(), logger: { warn: () => undefined } },
      ...{ rpcUrls: [market.chain.rpcUrl, market.chain.wsUrl], program: idOf(market.contents().programs.swap) },
      sweepMs: 20,
    });
    const ended = new AbortController();
    const stages = running.stages.map((stage) => stage.run(ended.signal));
    const clock = { ms: Date.now() };
    const now = () => clock.ms;
    const chain = { spec, isListed: true, venues, services: running.services, absence: '', demoRpcUrl: null };
    const problems: object[] = [];
    const dataDir = await mkdtemp(join(tmpdir(), 'tidepool-router-'));
    const accounts = options.keys ? await accountsWithoutLimits(dataDir) : null;
    const key = accounts?.demo.key ?? null;
    const receipts = await options.receipts?.(market, now);
    const router = await createRouter({
      ...{
        accounts,
        chains: [],
        held: new MemoryHeldQuotes({ now }),
        receipts: receipts?.keeper ?? noReceipts,
        now,
        version: '1.2.3',
      },
      logger: { info: () => undefined, warn: () => undefined, error: (fields) => void problems.push(fields) },
      solana: chain,
    });
    const world = new SolanaWorld(market, router, chain, clock, problems, key, running, book, async () => {
      await router.close();
      ended.abort();
      await Promise.all(stages);
      await receipts?.close();
      await running.close();
      await market.chain.stop();
      await removeFolder(dataDir);
    });
    world.document = parse((await world.get('/openapi.yaml')).text);
    await world.settled();
    return world;
  }

  /** Whether a body is one of that schema of the served document. */
  fits(schema: string, body: unknown): void {
    expect(schemaProblems(this.document, this.document.components.schemas[schema], body)).toEqual([]);
  }

  /** Makes blocks until the router has seen the newest state of every account that it follows. */
  async settled(): Promise<void> {
    const { slot } = this.market.slot({ traders: false });
    this.market.slot({ traders: false });
    const { services } = this.running;
    await until('the router has read the newest slot', () => {
      const { moment } = services.pools;
      const pools = [...(services.pools as AccountBook).pools()];
      const isRead = pools.length > 0 && pools.every((pool) => pool.slot >= slot && !pool.torn);
      return services.deployment.state() !== null && moment !== null && isRead;
    });
  }

  /** The log knows a pool; the router follows it. */
  async follow(record: PoolRecord): Promise<void> {
    load(this.logged, record);
    await until('the router follows the pool', () => this.running.services.pools.pool(record.pool) !== null);
  }

  /** Instructions of the admin of the swap program, in a block of their own. */
  async administer(...instructions: Instruction[]): Promise<number> {
    const { chain } = this.market;
    const order = { version: 0 as const, payer: this.deployer, instructions };
    const signature = chain.send(signTransaction(order, chain.blockhash()));
    const { slot } = chain.slot();
    if (chain.resultOf(signature) !== null) throw new Error(JSON.stringify(chain.resultOf(signature)));
    chain.slot();
    return slot;
  }

  mint(symbol: string): string {
    return this.market.contents().tokens.find((token) => token.symbol === symbol)!.address;
  }

  async get(path: string, init: RequestInit = {}): Promise<Reply> {
    const response = await fetch(this.router.url + path, init);
    const text = await response.text();
    const json = text !== '' && response.headers.get('content-type')?.startsWith('application/json');
    return { status: response.status, headers: response.headers, text, body: json ? JSON.parse(text) : null };
  }

  post(path: string, body: unknown): Promise<Reply> {
    return this.get(path, { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) });
  }

  quote(parameters: Record<string, string>): Promise<Reply> {
    return this.get(`/quote?${new URLSearchParams(parameters)}`);
  }

  close(): Promise<void> {
    return this.end();
  }
}

export const hex = (address: string): Hex => idOf(address);
