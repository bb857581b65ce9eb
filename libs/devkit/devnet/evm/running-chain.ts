import type { AnvilRpc } from './anvil-rpc.js';
import type { Funding } from './funding.js';
import type { ChainPool, ChainToken } from './market-plan.js';
import type { LocalSlug } from './markets/all.js';
import type { ChainV4Pool } from './uniswap-v4/chain-pool.js';

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
  /** Unix seconds at which the history ends; the present when absent. */
  historyEnd?: number;
  /** A chain that is behind the present makes its blocks this many times as fast until it has reached it. 1 when absent. */
  pace?: number;
  /** Newest blocks that stay whole while the chain runs; fewer over a restart. By the history when absent. */
  keepBlocks?: number;
  /** Rules of the blocks of a new chain; null: the node's newest. Cancun when absent. */
  hardfork?: string | null;
  /** About a third of the usual trading. */
  quiet?: boolean;
  /** Whether tokens are launched on the launchpad, and traded there; true when absent. */
  launches?: boolean;
  /** Whether blocks are made by themselves; otherwise only by mine(). */
  autoMine?: boolean;
  onProgress?: (progress: LocalChainProgress) => void;
  /** Called when the chain stops working by itself; without it that error is thrown. */
  onFailure?: (error: Error) => void;
}

interface LocalChainProgress {
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
  /** Lowest block of which the node had the state when it started: 0 of a new chain, the newest of a resumed one. */
  readonly oldestHeight: number;
  /** Newest blocks that the node keeps with their transactions, over restarts too; of older ones only headers may be left. */
  readonly keptBlocks: number;
  headHeight(): Promise<number>;
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
