import { randomUUID } from 'node:crypto';
import { impactPpm } from '#libs/routing/search/solana/solana-impact.js';
import type { SolanaRouteHop } from '#libs/routing/search/solana/solana-route.js';
import { partsOf, swaps } from '#libs/routing/search/solana/split-route.js';
import type { SolQuote } from '#libs/serve/contract/rest/solana/quote-body.js';
import { type JsonObject, readJson } from '#libs/serve/http/json-body.js';
import { badRequest } from '#libs/serve/http/problem.js';
import type { HeldQuotes } from '../../held/held-quotes.js';
import { quoteMismatch } from '../../http/router-problem.js';
import { firstDifference } from '../../quotes/first-difference.js';
import { storeRefusal } from '../../quotes/quote-service.js';
import type { ReceiptBook } from '../../receipts/receipt-book.js';
import { notReady, quoteExpired, Refusal } from '../../refusal.js';
import type { BuiltQuote } from '../model/built-swap.js';
import { QUOTE_LIFETIME_MS, type QuotedSwap, type SolanaQuoteLeg } from '../model/solana-quote.js';
import type { SolanaChain } from '../ports.js';
import { hopsOf, walletAmounts } from '../quote/price-solana-quote.js';
import { quoteBody } from '../quote/quote-body.js';
import { isPaused, pausedReason, type ReadySolana, readySolana } from '../readiness.js';
import { readQuote } from './read-quote.js';
import { poolGone } from './swap-plan.js';
import type { SolanaSwapRequest } from './swap-request.js';

/** Fields that a returned quote may lack; where it has them, they are compared. */
const OPTIONAL_FIELDS: ReadonlySet<string> = new Set(['candidates', 'impactBps', 'inUsd', 'outUsd', 'warnings']);

/**
 * Builds quotes. A quote with an id is built as it was held. A quote without one is priced again along its own pools, and
 * must keep its own threshold. A build leaves its quote held.
 */
export class SolanaSwapService {
  constructor(
    private readonly chain: SolanaChain,
    private readonly held: HeldQuotes,
    private readonly receipts: ReceiptBook<BuiltQuote>,
    private readonly now: () => number,
  ) {}

  /** `account`: whose key asks; null: the router asks for no keys. */
  async build(
    request: SolanaSwapRequest,
    account: string | null,
    startedAt: number,
    signal: AbortSignal,
  ): Promise<BuiltQuote> {
    const { quoteId, wallet, wraps, feeAccount, destination, priority } = request;
    // The fields of a quote without an id are parameters: they are checked before anything of the chain is.
    const given = quoteId === null ? readQuote(request.quote) : null;
    const ready = this.ready();
    const { swap, quote } =
      given === null ? await this.find(quoteId!, request.quote, ready) : await this.priceAgain(given, startedAt, ready);
    if (swap.feeBps > 0 && feeAccount === null) {
      throw badRequest('feeAccount is required: a token account that gets the platform fee of the quote');
    }
    refuseUnserved(ready, swap);
    signal.throwIfAborted();
    const order = { swap, wallet, wraps, feeAccount, destination, priority };
    const built = { built: await ready.services.builder.build(order, signal), quote };
    this.receipts.built(built, account);
    return built;
  }

  /** Every reason why no build is made now. */
  private ready(): ReadySolana {
    if (isPaused(this.chain)) throw notReady([pausedReason(this.chain.spec.slug)]);
    return readySolana(this.chain);
  }

  private async find(quoteId: string, returned: JsonObject, { services }: ReadySolana) {
    const { spec } = this.chain;
    let json: string | null;
    try {
      json = await this.held.find(quoteId);
    } catch (error) {
      throw storeRefusal(error, spec.slug);
    }
    if (json === null) throw quoteExpired();
    const quote = JSON.parse(json) as SolQuote;
    if (quote.programId === undefined)
      throw badRequest('quoteResponse is a quote of an EVM chain: build it with POST /evm/swap');
    if (this.now() > Date.parse(quote.expiresAt)) throw quoteExpired();
    const difference = firstDifference(quote, returned, OPTIONAL_FIELDS);
    if (difference !== null) {
      throw quoteMismatch(
        `quoteResponse.${difference} is not what was quoted: send the quote back as it was answered, with every field`,
      );
    }
    // Another router behind the same store may serve another deployment.
    if (quote.programId !== spec.ids.formatAddress(services.deployment.program)) throw quoteExpired();
    return { swap: readQuote(readJson(json) as JsonObject), quote };
  }

  /** Prices the same pools by their present states, and holds the result as a new quote. */
  private async priceAgain(given: QuotedSwap, startedAt: number, ready: ReadySolana) {
    const { chain, services } = ready;
    const { exact, threshold } = given;
    const paths = pathsOf(given, ready);
    const ends = {
      amountIn: sum(paths, (hops) => hops[0]!.amountIn),
      amountOut: sum(paths, (hops) => hops.at(-1)!.amountOut),
    };
    const amounts = walletAmounts(exact, exact === 'in' ? given.amountIn : given.amountOut, ends, given.feeBps);
    if (exact === 'in' ? amounts.amountOut < threshold : amounts.amountIn > threshold) {
      const now = exact === 'in' ? amounts.amountOut : amounts.amountIn;
      throw new Refusal(
        'quote_moved',
        `the pools moved: the route is at ${now} now, past the threshold of ${threshold}`,
      );
    }
    const legs = paths.map(
      (hops, n): SolanaQuoteLeg => ({ shareBps: given.legs[n]!.shareBps, hops: hopsOf(chain, hops) }),
    );
    const swap: QuotedSwap = { ...given, ...amounts, legs };
    const impact = impactPpm(paths);
    const priced = {
      ...{ ...swap, program: services.deployment.program, slot: Number(services.pools.moment!.slot), candidates: 1 },
      ...{ impactPpm: impact, warnings: [] },
      inUsd: services.usd.value(given.inputMint, amounts.amountIn),
      outUsd: services.usd.value(given.outputMint, amounts.amountOut),
    };
    const issue = { quoteId: randomUUID(), seconds: Math.max(1e-6, (performance.now() - startedAt) / 1_000) };
    const expiresAt = new Date(this.now() + QUOTE_LIFETIME_MS).toISOString();
    const quote = quoteBody(chain.spec, priced, issue, expiresAt);
    try {
      await this.held.hold(issue.quoteId, JSON.stringify(quote), QUOTE_LIFETIME_MS);
    } catch (error) {
      throw storeRefusal(error, chain.spec.slug);
    }
    return { swap, quote };
  }
}

function pathsOf({ legs, exact, amountIn, amountOut }: QuotedSwap, { services }: ReadySolana): SolanaRouteHop[][] {
  const parts = partsOf(exact === 'in' ? amountIn : amountOut, legs);
  return legs.map(({ hops }, n) => {
    const part = parts[n]!;
    const path = hops.map(({ pool: id, tokenIn, tokenOut }) => {
      const pool = services.pools.pool(id);
      if (pool === null || !pool.quotable) throw poolGone();
      const zeroForOne = pool.token0 === tokenIn;
      const [from, to] = zeroForOne ? [pool.token0, pool.token1] : [pool.token1, pool.token0];
      if (from !== tokenIn || to !== tokenOut) {
        throw badRequest('quoteResponse.routePlan must name pools of the tokens that its steps name');
      }
      return { pool, zeroForOne };
    });
    const swapped = part === 0n ? null : swaps(path, exact, part);
    if (swapped === null) throw poolGone();
    return swapped;
  });
}

/** Refuses a venue whose row was switched off after the quote. */
function refuseUnserved({ chain, services, servable }: ReadySolana, { legs }: QuotedSwap): void {
  for (const { pool: id } of legs.flatMap(({ hops }) => hops)) {
    const venue = services.pools.pool(id)?.venue;
    if (venue === undefined) throw poolGone();
    if (servable.has(venue)) continue;
    const label = chain.venues.named(venue)?.label ?? venue;
    throw new Refusal(
      'quote_moved',
      `${label} has no live row in the config of the swap program any more: ask for a new quote`,
    );
  }
}

const sum = (paths: readonly SolanaRouteHop[][], amountOf: (hops: SolanaRouteHop[]) => bigint): bigint =>
  paths.reduce((total, hops) => total + amountOf(hops), 0n);
