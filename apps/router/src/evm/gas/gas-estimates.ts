import { LRUCache } from 'lru-cache';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import { TidepoolError } from '#libs/core/errors.js';
import { pause } from '#libs/platform/backoff.js';
import type { Logger } from '#libs/platform/logger.js';
import type { Route } from '#libs/routing/search/route.js';
import type { EvmNodes } from '../evm-nodes.js';
import type { GasEstimates, PathGas } from '../ports.js';
import { askQuoter, contractsOf, pathOf, type RoutePath } from '../venues/quoter-call.js';

export interface GasEstimatesOptions {
  chain: ChainSpec;
  nodes: Pick<EvmNodes, 'use'>;
  logger: Pick<Logger, 'debug' | 'error'>;
  /** How long the quoter's figure for a path and an amount is used. */
  refreshMs?: number;
  /** Paths that are kept; the longest unused goes first. */
  maxPaths?: number;
  maxConcurrency?: number;
  /** Pause of a worker between two questions: a paid node is not asked without end. */
  pauseMs?: number;
  deadlineMs?: number;
  /** Milliseconds of a clock that never steps back. */
  now?: () => number;
}

export interface RunningGasEstimates extends GasEstimates {
  /** Asks about routes before anyone quotes them. */
  warm(routes: readonly Route[]): void;
  /** Resolves when nothing is being asked. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

/** A path is asked about again for another amount, or after a failure, at most this often. */
const AGAIN_MS = 1_000;
/** More waiting than this and a path is asked about the next time it is quoted. */
const MAX_WAITING = 100;

/**
 * Indicative gas of a whole transaction, its 21,000 included. Where the venue's quoter counts gas, it is the quoter's
 * figure for the path and the order of magnitude of the amount, which is read in the background. Until that figure is
 * there, the figure of another amount is used, and until then the measured constant of the venue. Where the quoter counts
 * no gas, it is always the constant.
 */
export function createGasEstimates(options: GasEstimatesOptions): RunningGasEstimates {
  return new Estimates(options);
}

class Estimates implements RunningGasEstimates {
  private readonly known: LRUCache<string, KnownPath>;
  private readonly queue: QuotedGas[] = [];
  private readonly running = new Set<Promise<void>>();
  private readonly abort = new AbortController();
  private readonly refreshMs: number;
  private readonly now: () => number;
  private readonly refresh = (gas: QuotedGas): void => this.request(gas);

  constructor(private readonly options: GasEstimatesOptions) {
    this.known = new LRUCache({ max: options.maxPaths ?? 5_000 });
    this.refreshMs = options.refreshMs ?? Math.min(Math.max(options.chain.blockTimeMs, 2_000), 15_000);
    this.now = options.now ?? (() => performance.now());
  }

  of(route: Route): PathGas {
    const { swaps } = contractsOf(this.options.chain, route.venue);
    const usual = swaps.gasByHops[route.hops.length - 1]!;
    return swaps.quotesByView ? { estimate: () => usual } : this.find(route, usual);
  }

  warm(routes: readonly Route[]): void {
    for (const route of routes) this.of(route).estimate();
  }

  async idle(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
  }

  async close(): Promise<void> {
    this.abort.abort();
    this.queue.length = 0;
    await this.idle();
  }

  private find(route: Route, usual: bigint): QuotedGas {
    const { known } = this;
    let key = '';
    for (const { pool, zeroForOne } of route.hops) key += zeroForOne ? pool.id : `-${pool.id}`;
    let path = known.get(key);
    if (path === undefined) {
      path = new KnownPath(pathOf(route), usual);
      known.set(key, path);
    }
    return path.of(route.hops[0]!.amountIn, this.refresh);
  }

  private request(gas: QuotedGas): void {
    const current = gas.quoted !== null && gas.quotedFor === gas.amountIn;
    const age = this.now() - gas.askedAt;
    if (age < (current ? this.refreshMs : Math.min(this.refreshMs, AGAIN_MS))) return;
    if (gas.waiting || this.queue.length >= MAX_WAITING || this.abort.signal.aborted) return;
    gas.waiting = true;
    this.queue.push(gas);
    if (this.running.size >= (this.options.maxConcurrency ?? 2)) return;
    const worker: Promise<void> = this.work().finally(() => this.running.delete(worker));
    this.running.add(worker);
  }

  private async work(): Promise<void> {
    for (let gas = this.queue.shift(); gas !== undefined; gas = this.queue.shift()) {
      gas.askedAt = this.now();
      await this.ask(gas);
      gas.waiting = false;
      if (this.queue.length > 0) await pause(this.options.pauseMs ?? 200, this.abort.signal);
    }
  }

  private async ask(gas: QuotedGas): Promise<void> {
    const { chain, nodes, logger, deadlineMs = 5_000 } = this.options;
    const { amountIn, known } = gas;
    try {
      const quote = await nodes.use(
        (endpoint, signal) => askQuoter(endpoint, chain, known.path, amountIn, 'latest', signal),
        deadlineMs,
        this.abort.signal,
      );
      // A revert says nothing about gas: what was known before is kept.
      if (quote?.gas != null) gas.take(quote.gas, amountIn);
    } catch (error) {
      if (this.abort.signal.aborted) return;
      const { message } = error as Error;
      if (error instanceof TidepoolError) logger.debug({ chain: chain.slug, error: message }, 'no gas estimate');
      else logger.error({ chain: chain.slug, error: message }, 'a gas estimate failed');
    }
  }
}

/** One path, with the quoter's figures by order of magnitude of the amount. */
class KnownPath {
  /** The newest figure of any amount. */
  any: bigint | null = null;
  /** Few: one for each order of magnitude that was asked for. */
  private readonly sizes: QuotedGas[] = [];

  constructor(
    readonly path: RoutePath,
    readonly usual: bigint,
  ) {}

  /** Amounts between two powers of four share an entry: they cross about as many ticks. */
  of(amountIn: bigint, refresh: (gas: QuotedGas) => void): QuotedGas {
    const size = amountIn.toString(4).length;
    for (const gas of this.sizes) {
      if (gas.size !== size) continue;
      gas.amountIn = amountIn;
      return gas;
    }
    const gas = new QuotedGas(this, size, refresh);
    gas.amountIn = amountIn;
    this.sizes.push(gas);
    return gas;
  }
}

class QuotedGas implements PathGas {
  quoted: bigint | null = null;
  /** The amount that `quoted` is of. */
  quotedFor = 0n;
  amountIn = 0n;
  askedAt = Number.NEGATIVE_INFINITY;
  waiting = false;

  constructor(
    readonly known: KnownPath,
    readonly size: number,
    private readonly refresh: (gas: QuotedGas) => void,
  ) {}

  estimate(): bigint {
    this.refresh(this);
    return this.quoted ?? this.known.any ?? this.known.usual;
  }

  take(gas: bigint, amountIn: bigint): void {
    this.quoted = gas;
    this.quotedFor = amountIn;
    this.known.any = gas;
  }
}
