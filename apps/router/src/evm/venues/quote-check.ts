import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import { TidepoolError } from '#libs/core/errors.js';
import type { Hex } from '#libs/core/ids.js';
import type { Logger } from '#libs/platform/logger.js';
import type { BookHead } from '#libs/routing/pools/pool-book.js';
import type { Route } from '#libs/routing/search/route.js';
import type { EvmNodes } from '../evm-nodes.js';
import { askQuoter, contractsOf, pathOf, type RoutePath } from './quoter-call.js';

export interface QuoteCheckOptions {
  chain: ChainSpec;
  nodes: Pick<EvmNodes, 'use'>;
  logger: Logger;
  /** Called with every pool whose amounts the chain contradicts. */
  distrust: (pool: Hex) => void;
  /** Least time between two samples; quotes in between are not asked about. */
  everyMs?: number;
  /** A sample without an answer ends after so long. */
  deadlineMs?: number;
}

interface QuoteCheckStatus {
  /** Samples that got an answer. */
  checked: number;
  disagreed: number;
  /** V3 quotes for which the quoter reverts: it moves the token, which may refuse. That says nothing about the price. */
  reverted: number;
  /** Samples without an answer: the block was gone, or no node answered. */
  skipped: number;
  lastDisagreement: { at: number; venue: string; blockHash: Hex; quoted: string; chain: string | null } | null;
}

export interface QuoteCheck {
  /** Offers a quoted route with its block for a check; most offers are skipped. Returns at once. */
  sample(route: Route, head: BookHead): void;
  status(): QuoteCheckStatus;
  /** Resolves when no sample is under way. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

/** One check: a path, its input, and the output that the quote promised. */
interface Claim {
  path: RoutePath;
  amountIn: bigint;
  amountOut: bigint;
}

/** Asks the chain's own contracts about a sample of the quotes, after these were answered. */
export function createQuoteCheck(options: QuoteCheckOptions): QuoteCheck {
  return new Check(options);
}

class Check implements QuoteCheck {
  private readonly abort = new AbortController();
  private running: Promise<void> | null = null;
  private nextAt = 0;
  private readonly counts: QuoteCheckStatus = {
    checked: 0,
    disagreed: 0,
    reverted: 0,
    skipped: 0,
    lastDisagreement: null,
  };

  constructor(private readonly options: QuoteCheckOptions) {}

  sample(route: Route, head: BookHead): void {
    const now = performance.now();
    if (this.running !== null || now < this.nextAt || this.abort.signal.aborted) return;
    this.nextAt = now + (this.options.everyMs ?? 5_000);
    // Pools move on: what was claimed is taken down now.
    const whole: Claim = { path: pathOf(route), amountIn: route.hops[0]!.amountIn, amountOut: route.amountOut };
    const hops = route.hops.map((hop) => ({
      pool: hop.pool.id,
      path: pathOf({ venue: route.venue, hops: [hop] }),
      amountIn: hop.amountIn,
      amountOut: hop.amountOut,
    }));
    this.running = this.check(whole, hops, head.hash).finally(() => {
      this.running = null;
    });
  }

  status(): QuoteCheckStatus {
    return { ...this.counts };
  }

  async idle(): Promise<void> {
    await this.running;
  }

  async close(): Promise<void> {
    this.abort.abort();
    await this.running;
  }

  private async check(whole: Claim, hops: readonly (Claim & { pool: Hex })[], blockHash: Hex): Promise<void> {
    const { chain, logger, distrust } = this.options;
    try {
      const found = await this.ask(whole, blockHash);
      this.counts.checked++;
      if (found === whole.amountOut) return;
      if (found === null && this.movesTokens(whole.path.venue)) {
        this.counts.reverted++;
        return;
      }
      this.counts.disagreed++;
      const quoted = String(whole.amountOut);
      const said = found === null ? null : String(found);
      this.counts.lastDisagreement = { at: Date.now(), venue: whole.path.venue, blockHash, quoted, chain: said };
      const pools = await this.guilty(hops, blockHash);
      for (const pool of pools) distrust(pool);
      const fields = { chain: chain.slug, venue: whole.path.venue, block: `0x${blockHash}`, quoted, said };
      logger.error(
        { ...fields, amountIn: String(whole.amountIn), pools: pools.map((pool) => `0x${pool}`) },
        'the chain contradicts a quote: its pools are not quoted until their state is whole again',
      );
    } catch (error) {
      if (!(error instanceof TidepoolError) && !this.abort.signal.aborted) {
        logger.error({ chain: chain.slug, error: (error as Error).message }, 'a check of a quote failed');
      }
      this.counts.skipped++;
    }
  }

  private movesTokens(venue: string): boolean {
    return !contractsOf(this.options.chain, venue).swaps.quotesByView;
  }

  /** The pools whose own step the chain contradicts; all of them when no single one is found. */
  private async guilty(hops: readonly (Claim & { pool: Hex })[], blockHash: Hex): Promise<Hex[]> {
    const all = hops.map(({ pool }) => pool);
    if (hops.length === 1) return all;
    try {
      const answers = await Promise.all(hops.map((hop) => this.ask(hop, blockHash)));
      const wrong = all.filter((_, n) => answers[n] !== hops[n]!.amountOut);
      return wrong.length === 0 ? all : wrong;
    } catch (error) {
      if (error instanceof TidepoolError) return all;
      throw error;
    }
  }

  private async ask({ path, amountIn }: Claim, blockHash: Hex): Promise<bigint | null> {
    const { chain, nodes, deadlineMs = 5_000 } = this.options;
    const block = { blockHash: `0x${blockHash}` };
    return nodes.use(
      (endpoint, signal) => askQuoter(endpoint, chain, path, amountIn, block, signal),
      deadlineMs,
      this.abort.signal,
    );
  }
}
