import { TidepoolError } from '#libs/core/errors.js';
import { startAnvil } from './anvil-process.js';
import type { AnvilRpc } from './anvil-rpc.js';
import { ChainFiles } from './chain-files.js';
import { ChainRunner, KEPT_STATES, MAX_SETUP_BLOCKS, SETUP_SPACING_SECONDS } from './chain-runner.js';
import type { Funding } from './funding.js';
import type { ChainPool, ChainToken } from './market-plan.js';
import { type LocalSlug, MARKETS } from './markets/all.js';
import type { ChainV4Pool } from './uniswap-v4/plan.js';

export type { Funding } from './funding.js';
export type { ChainPool, ChainToken } from './market-plan.js';
export type { LocalSlug } from './markets/all.js';

/**
 * A local chain that looks like the real one: anvil with the exchange's contracts at their official addresses,
 * tokens, pools, seeded traders, a history, and small reorgs. It persists in its folder and resumes from there.
 * Blocks are made one at a time, at a caller's request; nothing happens while another step runs.
 */
export interface LocalChainOptions {
  chain: LocalSlug;
  dataDir: string;
  /** 0: any free port. */
  port?: number;
  seed?: number;
  blockTimeMs?: number;
  /** Reorgs of 1 to 6 blocks now and then. */
  reorgs?: boolean;
  /** Blocks of trading history, made at the first start. */
  historyBlocks?: number;
  /** Seconds over which the history is spread. */
  historySeconds?: number;
  /** About a third of the usual trading. */
  quiet?: boolean;
  /** Whether blocks are made by themselves; otherwise only by mine(). */
  autoMine?: boolean;
  onProgress?: (progress: LocalChainProgress) => void;
  /** Called when the chain stops working by itself; without it that error is thrown. */
  onFailure?: (error: Error) => void;
}

export interface LocalChainProgress {
  phase: 'setup' | 'history' | 'ready';
  done: number;
  total: number;
}

export interface LocalChain {
  readonly slug: LocalSlug;
  readonly rpcUrl: string;
  readonly wsUrl: string;
  /** The node itself: to mine, set code, impersonate, roll back. */
  readonly rpc: AnvilRpc;
  readonly chainId: number;
  readonly genesisHash: string;
  readonly tokens: readonly ChainToken[];
  readonly pools: readonly ChainPool[];
  /** Pools inside Uniswap V4's pool manager; none on chains without it. */
  readonly v4Pools: readonly ChainV4Pool[];
  /** Owner of the factories and of the tokens' supply; every account of the node is impersonated. */
  readonly deployer: string;
  /** keccak-256 of the runtime code of factories, routers, quoter and wrapped coin by address; both without 0x. */
  readonly codePins: ReadonlyMap<string, string>;
  /** True when the folder held this chain already. */
  readonly resumed: boolean;
  /** Process id of the node. */
  readonly nodePid: number;
  stop(): Promise<void>;
  /** Replaces the newest blocks by others, with most of their transactions. */
  reorg(depth: number): Promise<void>;
  /** Makes one block now, of what waits in the node's pool and, unless `traders` is false, traders' transactions. */
  mine(options?: { traders?: boolean }): Promise<void>;
  /** Gives a wallet coins and tokens, in a block that holds nothing of the traders. */
  fund(wallet: string, funding: Funding): Promise<void>;
  /** Stops making blocks until resume(). */
  pause(): Promise<void>;
  resume(): void;
}

export async function startLocalChain(options: LocalChainOptions): Promise<LocalChain> {
  const market = MARKETS[options.chain];
  const files = new ChainFiles(options.dataDir);
  const found = await files.open();
  if (found && found.record.chainId !== market.chainId) {
    const { chainId } = found.record;
    throw new TidepoolError('devnet_state', `the folder ${options.dataDir} holds a local chain with id ${chainId}`);
  }
  const historySeconds = options.historySeconds ?? 6 * 3600;
  const start = Math.floor(Date.now() / 1000) - historySeconds - MAX_SETUP_BLOCKS * SETUP_SPACING_SECONDS;
  const node = await startAnvil({
    port: options.port ?? 0,
    args: [
      ...['--chain-id', String(market.chainId), '--prune-history', String(KEPT_STATES)],
      ...['--no-mining', '--order', 'fifo', '--quiet'],
      ...['--accounts', '1', '--gas-limit', '150000000', '--dump-state', files.exitState],
      ...['--timestamp', String(found?.record.genesisTime ?? start)],
      ...(found ? ['--load-state', found.stateFile] : []),
    ],
  });
  try {
    const runner = new ChainRunner(node, files, market, options, found?.record ?? null);
    await runner.begin(historySeconds);
    return runner;
  } catch (error) {
    await node.stop();
    throw error;
  }
}
