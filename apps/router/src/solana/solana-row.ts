import type { NodePools } from '#libs/chain/chains/rpc/node-pools.js';
import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import type { Logger } from '#libs/platform/logger.js';
import type { SupervisedStage } from '#libs/platform/supervisor.js';
import type { FactsGroup } from '#libs/protocol/facts.js';
import type { BookMemory } from '#libs/routing/pools/pool-book.js';
import { createPoolFollower } from '#libs/routing/pools/pool-follower.js';
import { createSolanaServices, type RunningSolana } from './create-solana-services.js';
import type { SolanaChain, SolanaServices } from './ports.js';
import { SolanaVenues } from './venues/solana-venues.js';

export interface SolanaRowDeps {
  spec: ChainSpec;
  log: EventLog;
  nodePools: NodePools;
  logger: Logger;
  disabledVenues: readonly string[];
  /** The configured deployment, base58; null: the one that a local chain's node names. */
  swapProgram: string | null;
  bookMemory?: BookMemory;
  /** Called with each group of the chain's facts, after its pools took it over. */
  onFacts?: (facts: FactsGroup) => void;
}

export interface SolanaNodeState {
  /** In order of preference; requests go over http, ws ones tell of changed accounts. */
  rpcUrls: readonly string[];
  /** The swap program that the node's chain deployed, where that is known. */
  swapProgram?: string;
  /** Of a local chain. */
  demoRpcUrl?: string | null;
}

/** Solana of this instance: it is listed from the start, and gets its services once its node is known. */
export class SolanaRow implements SolanaChain {
  readonly venues: SolanaVenues;
  readonly isListed = true;
  absence = 'no RPC configured';
  demoRpcUrl: string | null = null;
  private running: RunningSolana | null = null;

  constructor(private readonly deps: SolanaRowDeps) {
    this.venues = new SolanaVenues(deps.spec, deps.disabledVenues);
  }

  get spec(): ChainSpec {
    return this.deps.spec;
  }

  get services(): SolanaServices | null {
    return this.running?.services ?? null;
  }

  /** Opens the services. The stages are the caller's to run; none where no node can be asked or no program is named. */
  open({ rpcUrls, swapProgram, demoRpcUrl = null }: SolanaNodeState): readonly SupervisedStage[] {
    if (this.running !== null) throw new Error(`${this.spec.slug} is open already`);
    const { spec, log, logger, nodePools, bookMemory, onFacts } = this.deps;
    const named = this.deps.swapProgram ?? swapProgram;
    const program = named === undefined ? null : solanaIds.parseAddress(named);
    if (program === null) {
      this.absence = 'no swap program is configured (TIDEPOOL_SWAP_PROGRAM)';
      return [];
    }
    if (!rpcUrls.some((url) => /^https?:/i.test(url))) {
      this.absence = 'no http RPC configured';
      return [];
    }
    const follower = createPoolFollower({ chain: spec.slug, log, logger, memory: bookMemory });
    if (onFacts !== undefined) follower.onGroup(onFacts);
    const running = createSolanaServices({
      ...{ spec, logger, nodePools, rpcUrls, program, venues: this.venues },
      pools: () => follower.book(),
    });
    this.demoRpcUrl = demoRpcUrl;
    this.running = { ...running, status: () => ({ pools: follower.status(), ...running.status() }) };
    return [follower, ...running.stages];
  }

  /** For operators, by slug, once it is open. */
  status(): Record<string, object> {
    return this.running === null ? {} : { [this.spec.slug]: this.running.status() };
  }

  async close(): Promise<void> {
    await this.running?.close();
  }
}
