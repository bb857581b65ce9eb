import type { NodePools } from '#libs/chain/chains/rpc/node-pools.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import type { SafetyBook } from '#libs/pipeline/safety/safety-book.js';
import type { Logger } from '#libs/platform/logger.js';
import type { SupervisedStage } from '#libs/platform/supervisor.js';
import type { FactsGroup } from '#libs/protocol/facts.js';
import type { BookMemory } from '#libs/routing/pools/pool-book.js';
import { askedUrls, createChainServices, type NodeAccess, type RunningServices } from './create-chain-services.js';
import type { EvmChain, EvmChainServices } from './ports.js';

export interface EvmChainsDeps {
  /** Every EVM chain that can be routed, configured or not, in the order in which lists show them. */
  specs: readonly ChainSpec[];
  log: EventLog;
  logger: Logger;
  nodePools: NodePools;
  disabledVenues: readonly string[];
  /** How much of a chain's pools is in memory; all when absent. */
  bookMemory?: (spec: ChainSpec) => BookMemory;
  /** Called with every group that a chain's pools applied. */
  onFacts?: (chain: string, facts: FactsGroup) => void;
  /** What simulations of the indexer found of tokens. */
  safeties?: SafetyBook;
}

/** The EVM chains of this instance. A chain is listed from the start on and gets its services once its node is known. */
export class EvmChains {
  readonly chains: readonly EvmChain[];
  private readonly rows = new Map<string, Row>();

  constructor(private readonly deps: EvmChainsDeps) {
    this.chains = deps.specs.map((spec) => {
      const row = new Row(spec);
      this.rows.set(spec.slug, row);
      return row;
    });
  }

  /** Whether this is an EVM chain of the router; the other methods take only such slugs. */
  has(slug: string): boolean {
    return this.rows.has(slug);
  }

  /** Why a chain has no services yet, as a sentence without the chain's name. */
  explain(slug: string, absence: string): void {
    this.row(slug).absence = absence;
  }

  /** Opens a chain's services. The stages are the caller's to run; none where no node can be asked. */
  open(slug: string, node: NodeAccess): readonly SupervisedStage[] {
    const row = this.row(slug);
    if (row.running !== null) throw new Error(`${slug} is open already`);
    if (askedUrls(node).length === 0) {
      row.absence = 'no http RPC configured';
      return [];
    }
    const { log, logger, nodePools, disabledVenues, bookMemory, onFacts, safeties } = this.deps;
    const running = createChainServices({
      ...{ chain: row.spec, log, node, disabledVenues, bookMemory: bookMemory?.(row.spec) },
      ...{ logger, nodePools, safeties: safeties?.of(slug) },
      onFacts: (facts) => onFacts?.(slug, facts),
    });
    row.running = running;
    return running.stages;
  }

  /** For operators, by slug: chains that are open. */
  status(): Record<string, object> {
    const open = [...this.rows].filter(([, row]) => row.running !== null);
    return Object.fromEntries(open.map(([slug, row]) => [slug, row.running!.status()]));
  }

  async close(): Promise<void> {
    for (const row of this.rows.values()) await row.running?.close();
  }

  private row(slug: string): Row {
    const row = this.rows.get(slug);
    if (row === undefined) throw new Error(`${slug} is no EVM chain`);
    return row;
  }
}

class Row implements EvmChain {
  running: RunningServices | null = null;
  absence = 'no RPC configured';

  constructor(readonly spec: ChainSpec) {}

  get services(): EvmChainServices | null {
    return this.running?.services ?? null;
  }
}
