import type { ChainSpec, VenueSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { Hex } from '#libs/core/ids.js';
import { impactBps } from '#libs/routing/search/price-impact.js';
import type { RouteAnswer, RouteRequest } from '#libs/routing/search/route.js';
import type { QuotePricer, QuoteService } from '../../quotes/quote-service.js';
import { noRoute, Refusal } from '../../refusal.js';
import { routeGas, UNWRAP_GAS, WRAP_GAS } from '../gas/route-gas.js';
import {
  isNative,
  type PricedQuote,
  type QuotedRoute,
  type QuoteWarning,
  tokensOf,
  venueOf,
} from '../model/evm-quote.js';
import { poolToken } from '../native-coin.js';
import type { EvmChain, EvmChainServices } from '../ports.js';
import { readyServices } from '../readiness.js';
import { basisOf, CachedEvmQuote } from './cached-evm-quote.js';

/** The parameters of a quote, all of them checked. */
export interface QuoteParameters {
  readonly chain: EvmChain;
  /** NATIVE for the coin. */
  readonly inputMint: Hex;
  /** Another mint than `inputMint`; both may mean one token (wrap and unwrap). */
  readonly outputMint: Hex;
  /** 1 to 2^256 − 1. */
  readonly amount: bigint;
  readonly slippageBps: number;
  readonly maxHops: 1 | 2 | 3;
  /** null: any venue of the chain. Empty: the request excludes all that it could use. */
  readonly venues: readonly VenueSpec[] | null;
}

/** The quotes of the EVM chains. */
export type EvmQuotes = QuoteService<QuoteParameters, EvmChainServices, CachedEvmQuote>;

/** Past this impact a quote carries a warning. */
const HIGH_IMPACT_BPS = 500;
/** The impact at which an amount stops being sensible. */
const SENSIBLE_IMPACT_BPS = 5_000;

/** Prices quotes of the EVM chains: in one turn of the event loop, at one block of the chain's book. */
export const evmPricer: QuotePricer<QuoteParameters, EvmChainServices, CachedEvmQuote> = {
  source: ({ chain }, now) => readyServices(chain, now),
  price: (services, parameters) => {
    const { spec } = services;
    const [from, to] = [poolToken(spec, parameters.inputMint), poolToken(spec, parameters.outputMint)];
    return from === to ? wrap(services, parameters, from) : swap(services, parameters, from, to);
  },
};

/** Quotes the coin for the wrapped coin, or back: one for one, without a pool or a venue. */
function wrap(services: EvmChainServices, parameters: QuoteParameters, router: Hex): CachedEvmQuote {
  if (parameters.venues?.length === 0) throw excluded(services.spec);
  const { amount, inputMint } = parameters;
  const worth = services.usd.value(router, amount);
  const quote: PricedQuote = {
    chain: services.spec,
    inputMint,
    outputMint: parameters.outputMint,
    amountIn: amount,
    amountOut: amount,
    slippageBps: parameters.slippageBps,
    route: null,
    router,
    gasEstimate: isNative(inputMint) ? WRAP_GAS : UNWRAP_GAS,
    candidates: 0,
    head: services.book.head!,
    impactBps: 0,
    inUsd: worth,
    outUsd: worth,
    warnings: [],
  };
  return new CachedEvmQuote(quote, basisOf(services));
}

function swap(services: EvmChainServices, parameters: QuoteParameters, from: Hex, to: Hex): CachedEvmQuote {
  const { spec, usd } = services;
  const { amount, maxHops } = parameters;
  const request = {
    tokenIn: from,
    tokenOut: to,
    amountIn: amount,
    maxHops,
    venues: usable(services, parameters.venues),
  };
  const answer = search(services, request);
  if (answer.kind !== 'route') throw refusalOf(services, parameters, request, answer);
  const { route, candidates } = answer;
  const impact = impactBps(route);
  const ends = { nativeIn: isNative(parameters.inputMint), nativeOut: isNative(parameters.outputMint) };
  const quote: PricedQuote = {
    chain: spec,
    inputMint: parameters.inputMint,
    outputMint: parameters.outputMint,
    amountIn: amount,
    amountOut: route.amountOut,
    slippageBps: parameters.slippageBps,
    route,
    router: venueOf(spec, route).contracts!.router,
    gasEstimate: routeGas(spec, route, ends),
    candidates,
    head: services.book.head!,
    impactBps: impact,
    inUsd: usd.value(from, amount),
    outUsd: usd.value(to, route.amountOut),
    warnings: warningsOf(services, route, impact),
  };
  return new CachedEvmQuote(quote, basisOf(services));
}

/**
 * Finds the route that gives the most. When that route touches a token that takes a tax, the best route over venues that
 * can swap such a token is taken, if there is one, because the first one could not be built.
 */
function search({ routes, spec, tokens }: EvmChainServices, request: RouteRequest): RouteAnswer {
  const best = routes.find(request);
  if (best.kind !== 'route' || tokens.size === 0) return best;
  const taxed = tokensOf(best.route).some((token) => tokens.of(token) === 'taxed');
  if (!taxed || takesTaxedTokens(venueOf(spec, best.route))) return best;
  const able = spec.venues.filter((one) => request.venues.has(one.venue) && takesTaxedTokens(one));
  if (able.length === 0) return best;
  const other = routes.find({ ...request, venues: new Set(able.map(({ venue }) => venue)) });
  return other.kind === 'route' ? other : best;
}

/** The venue's router has functions that pay by balances instead of computed amounts. */
const takesTaxedTokens = ({ contracts }: VenueSpec): boolean => contracts?.swaps.forms.includes('by-balance') ?? false;

function warningsOf({ tokens }: EvmChainServices, route: QuotedRoute, impact: number | null): QuoteWarning[] {
  const warnings: QuoteWarning[] = [];
  if (impact !== null && impact > HIGH_IMPACT_BPS) warnings.push('high_impact');
  const found = new Set(tokensOf(route).map((token) => tokens.of(token)));
  if (found.has('taxed')) warnings.push('taxed_token');
  if (found.has('not_sellable')) warnings.push('not_sellable');
  if (found.has('not_transferable')) warnings.push('not_transferable');
  return warnings;
}

function refusalOf(
  { spec, routes }: EvmChainServices,
  { inputMint, outputMint, amount, maxHops }: QuoteParameters,
  request: RouteRequest,
  answer: Exclude<RouteAnswer, { kind: 'route' }>,
): Refusal {
  const [input, output] = [inputMint, outputMint].map(spec.ids.formatAddress);
  if (answer.kind === 'too-large') {
    const { maxAmountIn } = answer;
    const sensible = routes.largestWithin({ ...request, amountIn: maxAmountIn }, SENSIBLE_IMPACT_BPS);
    return lowLiquidity(maxAmountIn, sensible, input!);
  }
  if (answer.kind === 'too-small') {
    return noRoute(`no route gives anything for ${amount} base units of ${input}: ask for a larger amount`);
  }
  return noRoute(
    `no pools of one venue lead from ${input} to ${output} within ${maxHops} hops on ${spec.slug}: check the mints, or allow more hops or venues`,
  );
}

const lowLiquidity = (most: bigint, sensible: bigint | null, mint: string) =>
  new Refusal(
    'low_liquidity',
    `routes exist, but none of them takes that much: ask for at most ${most} base units of ${mint}`,
    {
      liquidity: {
        maxInAmount: String(most),
        mint,
        sensibleInAmount: sensible === null ? null : String(sensible),
      },
    },
  );

/** The allowed venues that may be quoted now. */
function usable({ spec, venues }: EvmChainServices, allowed: readonly VenueSpec[] | null): ReadonlySet<string> {
  const servable = venues.servable();
  if (allowed === null) return servable;
  if (allowed.length === 0) throw excluded(spec);
  const both = new Set(allowed.flatMap(({ venue }) => (servable.has(venue) ? [venue] : [])));
  if (both.size > 0) return both;
  throw noRoute(
    `none of the venues asked for is verified on ${spec.slug} now (${allowed.map(({ label }) => label).join(', ')}): allow another one`,
  );
}

const excluded = (spec: ChainSpec) => noRoute(`excludeDexes leaves no venue of ${spec.slug} to route over: allow one`);
