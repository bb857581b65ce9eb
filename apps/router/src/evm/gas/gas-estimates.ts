import { TidepoolError } from '#libs/core/errors.js';
import type { ChainSpec } from '#libs/market-ports/chain-spec.js';
import { pause } from '#libs/platform/backoff.js';
import type { Logger } from '#libs/platform/logger.js';
import type { Route } from '#libs/routing/route.js';
import type { GasEstimates } from '../ports.js';
import type { ChainNode } from '../venues/chain-node.js';
import { askQuoter, pathOf, type RoutePath } from '../venues/quoter-call.js';

export interface GasEstimatesOptions {
  chain: ChainSpec;
  node: ChainNode;
  logger: Logger;
  /** How long the quoter's figure for a path and an amount stands. */
  refreshMs?: number;
  /** Paths that are remembered; the longest unused goes first. */
  maxPaths?: number;
  maxConcurrency?: number;
  /** Pause of a worker between two questions: a paid node is not asked without end. */
  pauseMs?: number;
  deadlineMs?: number;
}

export interface RunningGasEstimates extends GasEstimates {
  /** Resolves when nothing is being asked. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

/**
 * What swaps of plain tokens through the genuine V2 router take on a local chain, in the middle of many: 124,000,
 * 213,000 and 274,000 over one, two and three pairs.
 */
const V2_BASE = 50_000n;
const V2_PER_HOP = 75_000n;
/** V3 until the quoter was asked about the path: the middle of what it says of many, 97,000 to 87,000 a pool. */
const V3_PER_HOP = 90_000n;
/** A path is asked about again for another amount, or after a failure, at most this often. */
const AGAIN_MS = 1_000;
/** More waiting than this and a path is asked about the next time it is quoted. */
const MAX_WAITING = 100;

interface Known {
  path: RoutePath;
  amountIn: bigint;
  /** null: not answered yet. */
  gas: bigint | null;
  /** The amount that `gas` is of. */
  gasOf: bigint;
  askedAt: number;
  waiting: boolean;
}

/**
 * Indicative gas of a route. V2: fixed. V3: the quoter's own figure for the path and the order of magnitude of the amount,
 * asked for behind the answers; until it is there, a figure per hop.
 */
export function createGasEstimates(options: GasEstimatesOptions): RunningGasEstimates {
  return new Estimates(options);
}

class Estimates implements RunningGasEstimates {
  private readonly known = new Map<string, Known>();
  /** Of routes that are quoted again while they stand. */
  private readonly keys = new WeakMap<Route, string>();
  private readonly queue: Known[] = [];
  private readonly running = new Set<Promise<void>>();
  private readonly abort = new AbortController();
  private readonly v3: ReadonlySet<string>;
  private readonly refreshMs: number;

  constructor(private readonly options: GasEstimatesOptions) {
    const { chain } = options;
    this.v3 = new Set(chain.venues.filter(({ protocol }) => protocol === 'v3').map(({ venue }) => venue));
    this.refreshMs = options.refreshMs ?? Math.min(Math.max(chain.blockTimeMs, 2_000), 15_000);
  }

  estimate(route: Route): bigint {
    const hops = BigInt(route.hops.length);
    if (!this.v3.has(route.venue)) return V2_BASE + V2_PER_HOP * hops;
    const known = this.find(route);
    this.refresh(known);
    return known.gas ?? V3_PER_HOP * hops;
  }

  async idle(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
  }

  async close(): Promise<void> {
    this.abort.abort();
    this.queue.length = 0;
    await this.idle();
  }

  /** Amounts between two powers of four share an entry: they cross about as many ticks. */
  private find(route: Route): Known {
    const { amountIn } = route.hops[0]!;
    let key = this.keys.get(route);
    if (key === undefined) {
      const size = amountIn.toString(4).length;
      key = `${size}|${route.hops.map(({ pool, zeroForOne }) => pool.id + (zeroForOne ? '>' : '<')).join('')}`;
      this.keys.set(route, key);
    }
    let known = this.known.get(key);
    if (known === undefined) {
      known = { path: pathOf(route), amountIn, gas: null, gasOf: 0n, askedAt: 0, waiting: false };
    } else {
      this.known.delete(key);
      known.amountIn = amountIn;
    }
    this.known.set(key, known);
    if (this.known.size > (this.options.maxPaths ?? 5_000)) {
      this.known.delete(this.known.keys().next().value as string);
    }
    return known;
  }

  private refresh(known: Known): void {
    const current = known.gas !== null && known.gasOf === known.amountIn;
    const age = Date.now() - known.askedAt;
    if (age < (current ? this.refreshMs : Math.min(this.refreshMs, AGAIN_MS))) return;
    if (known.waiting || this.queue.length >= MAX_WAITING || this.abort.signal.aborted) return;
    known.waiting = true;
    this.queue.push(known);
    if (this.running.size >= (this.options.maxConcurrency ?? 2)) return;
    const worker: Promise<void> = this.work().finally(() => this.running.delete(worker));
    this.running.add(worker);
  }

  private async work(): Promise<void> {
    for (let known = this.queue.shift(); known !== undefined; known = this.queue.shift()) {
      known.askedAt = Date.now();
      await this.ask(known);
      known.waiting = false;
      if (this.queue.length > 0) await pause(this.options.pauseMs ?? 200, this.abort.signal);
    }
  }

  private async ask(known: Known): Promise<void> {
    const { chain, node, logger, deadlineMs = 5_000 } = this.options;
    const { path, amountIn } = known;
    const { signal } = this.abort;
    try {
      const quote = await node.ask(
        (endpoint) => askQuoter(endpoint, chain, path, amountIn, 'latest', signal),
        deadlineMs,
        signal,
      );
      // A revert says nothing about gas: what was known before stands.
      if (quote !== null) {
        known.gas = quote.gasEstimate;
        known.gasOf = amountIn;
      }
    } catch (error) {
      if (signal.aborted) return;
      const { message } = error as Error;
      if (error instanceof TidepoolError) logger.debug({ chain: chain.slug, error: message }, 'no gas estimate');
      else logger.error({ chain: chain.slug, error: message }, 'a gas estimate failed');
    }
  }
}
