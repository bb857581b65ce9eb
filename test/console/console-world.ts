import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { type LocalChain, startLocalChain } from '#libs/devkit/devnet/evm/local-chain.js';
import {
  type LocalSolanaMarket,
  startLocalSolanaMarket,
} from '#libs/devkit/devnet/solana/market/local-solana-market.js';
import { CutProxy } from '#libs/devkit/testing/cut-proxy.js';
import { removeFolderSync } from '#libs/devkit/testing/remove-folder.js';
import { until } from '#libs/devkit/testing/until.js';
import type { EvmChainsAnswer } from '#libs/serve/contract/rest/evm/chain-body.js';
import type { EvmReadyBody } from '#libs/serve/contract/rest/evm/ready-body.js';
import type { SolVenuesAnswer } from '#libs/serve/contract/rest/solana/venue-body.js';
import { openBrowser } from '../../bench/lib/chromium.js';
import { MarketClient } from '../multi-process/market-client.js';
import { buildPrograms, endPrograms, PROJECT, Program } from '../multi-process/program.js';
import { closeBrowser, type Viewer, WatchedPage } from './browser.js';

export const WETH = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2';

export interface WorldOptions {
  historyBlocks: number;
  historySeconds?: number;
  /** The program runs its own chains, which make blocks and reorgs by themselves, as in a demo; `chain` is not there then. */
  demo?: boolean;
  /** The chains of a demo, the first one first. */
  chains?: readonly string[];
  /** The chain is a Solana one, `solana` instead of `chain`. */
  solana?: boolean;
}

export const WSOL = 'So11111111111111111111111111111111111111112';

/**
 * The console as a user meets it: a local chain whose blocks the test makes one by one, the built program on it, a
 * connection to it that can be cut, and a browser.
 */
export class ConsoleWorld {
  chain!: LocalChain;
  solana!: LocalSolanaMarket;
  program!: Program;
  market!: MarketClient;
  key!: string;
  /** Address of the router. */
  router!: string;
  /** JSON-RPC of the program's own chain; null where the chain is ours. */
  node: string | null = null;
  line!: CutProxy;
  /** The chain whose history is waited for. */
  private slug!: string;
  private readonly browsers = new Map<number, Browser>();
  private readonly root = mkdtempSync(join(tmpdir(), 'tidepool-console-'));
  /** What was opened, to be closed from the last to the first. */
  private readonly opened: (() => unknown)[] = [() => removeFolderSync(this.root)];

  static async open(options: WorldOptions): Promise<ConsoleWorld> {
    buildPrograms();
    const world = new ConsoleWorld();
    try {
      await world.start(options);
    } catch (error) {
      await world.close();
      throw error;
    }
    return world;
  }

  async close(): Promise<void> {
    for (const close of this.opened.splice(0).reverse()) await close();
  }

  private async start(options: WorldOptions): Promise<void> {
    const { historyBlocks, demo = false, chains = ['eth'] } = options;
    this.slug = demo ? chains[0]! : options.solana ? 'sol' : 'eth';
    const [dir, cwd] = [join(this.root, 'data'), join(this.root, 'empty')];
    mkdirSync(cwd);
    const chainVariables = demo ? { TIDEPOOL_CHAINS: chains.join(',') } : await this.startChain(options);
    this.program = new Program({
      args: [join(PROJECT, 'scripts/start.mjs')],
      cwd,
      env: {
        ...{
          TIDEPOOL_BASE_PORT: '0',
          TIDEPOOL_API_PORT: '0',
          TIDEPOOL_WS_PORT: '0',
          TIDEPOOL_RPC_PORT: '0',
          TIDEPOOL_SOL_PORT: '0',
          TIDEPOOL_RELAY_PORT: '0',
          TIDEPOOL_ADMIN_PORT: '0',
        },
        TIDEPOOL_DATA_DIR: dir,
        ...chainVariables,
      },
    });
    this.opened.push(endPrograms, () => this.program.interrupt());
    const { api, base } = await this.program.logged('listening');
    this.router = base as string;
    this.key = readFileSync(join(dir, 'demo-key'), 'utf8').trim();
    this.market = new MarketClient(api as string, this.key);
    await this.program.until('the whole history', async () => {
      const { head } = await this.market.chain(this.slug);
      return head !== null && head.block >= historyBlocks;
    });
    if (demo) {
      const ready = this.slug === 'sol' ? '/ready' : '/evm/ready';
      await this.program.until('a router that is ready', async () => {
        const answer = await fetch(this.router + ready);
        return ((await answer.json()) as EvmReadyBody).ready;
      });
      this.node = this.slug === 'sol' ? await this.solanaNode() : await this.evmNode();
    }
    this.line = await CutProxy.open(api as string);
    this.opened.push(() => this.line.close());
  }

  /** A route of the router. */
  async asked<T>(path: string): Promise<T> {
    const answer = await fetch(this.router + path, { headers: { 'x-api-key': this.key } });
    if (!answer.ok) throw new Error(`${path} answered with ${answer.status}`);
    return (await answer.json()) as T;
  }

  private async evmNode(): Promise<string> {
    const { chains } = await this.asked<EvmChainsAnswer>('/evm/chains');
    return chains.find(({ chain }) => chain === 'eth')!.demo!.rpcUrl;
  }

  private async solanaNode(): Promise<string> {
    return (await this.asked<SolVenuesAnswer>('/venues')).demo!.rpcUrl;
  }

  /** A chain that moves when the test says so, and the variables that name its node. */
  private async startChain({ historyBlocks, historySeconds, solana }: WorldOptions): Promise<Record<string, string>> {
    const common = { dataDir: join(this.root, 'chain'), historyBlocks, historySeconds };
    if (solana) {
      const main = join(PROJECT, 'dist/libs/devkit/devnet/solana/market/local-solana-market-main.js');
      this.solana = await startLocalSolanaMarket({ ...common, main, autoSlots: false });
      this.opened.push(() => this.solana.stop());
      return { TIDEPOOL_RPC_SOL: `${this.solana.rpcUrl},${this.solana.wsUrl}`, TIDEPOOL_START_SOL: '0' };
    }
    this.chain = await startLocalChain({ ...common, chain: 'eth', autoMine: false });
    this.opened.push(() => this.chain.stop());
    return { TIDEPOOL_RPC_ETH: `${this.chain.rpcUrl},${this.chain.wsUrl}`, TIDEPOOL_START_ETH: '0' };
  }

  /** The page at an address of the console, opened with the key as the printed link does. */
  async visit(place: string, viewer: Viewer): Promise<WatchedPage> {
    const watched = await this.blank(viewer);
    await watched.page.goto(`${this.line.url}/#key=${this.key}&go=${place}`);
    return watched;
  }

  /** A fresh tab, without a key. */
  async blank(viewer: Viewer): Promise<WatchedPage> {
    const { scale = 1 } = viewer;
    let browser = this.browsers.get(scale);
    if (browser === undefined) {
      browser = await openBrowser(scale);
      this.browsers.set(scale, browser);
      this.opened.push(() => closeBrowser(browser!));
    }
    const watched = await WatchedPage.open(browser, this.line.url, viewer);
    // The page may ask the router, in a demo the local chain too, and no other server.
    for (const url of this.node === null ? [this.router] : [this.router, this.node]) {
      watched.allowed.add(new URL(url).host);
    }
    return watched;
  }

  /** Height of the chain itself, once the program serves all of it. */
  async servedHeight(): Promise<number> {
    const [url, method, params] =
      this.slug === 'sol'
        ? [this.solana.rpcUrl, 'getSlot', [{ commitment: 'confirmed' }]]
        : [this.chain.rpcUrl, 'eth_blockNumber', []];
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const answer = await fetch(url as string, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const height = Number(((await answer.json()) as { result: string | number }).result);
    await until('the program serves the newest block', async () => {
      const { head } = await this.market.chain(this.slug);
      return head?.block === height;
    });
    return height;
  }

  /**
   * Makes blocks until the newest one is on the tape of each page, and returns its height: only what is on a tape can be taken back. A
   * tape is there on a narrow screen too, only not seen.
   */
  async newestOnTape(...pages: readonly Page[]): Promise<number> {
    let height = -1;
    await this.mineUntil('the newest block is on the tape', async () => {
      height = await this.servedHeight();
      const newest = pages.map((page) => page.locator('tr[data-trade]').first().getAttribute('data-trade-block'));
      return (await Promise.all(newest)).every((block) => Number(block) === height);
    });
    return height;
  }

  /** Makes a block, and another one as often as it is looked for in vain a few times. */
  async mineUntil(what: string, ask: () => Promise<boolean>): Promise<void> {
    let looks = 0;
    const look = async (): Promise<boolean> => {
      if (looks++ % 3 === 0) await (this.slug === 'sol' ? this.solana.slot() : this.chain.mine());
      return ask();
    };
    await until(what, look, { everyMs: 100 });
  }
}
