import type { Hex } from '#libs/core/ids.js';
import { impactPpm, inputWithin } from '#libs/routing/search/solana/solana-impact.js';
import type {
  SolanaRoute,
  SolanaRouteAnswer,
  SolanaRouteHop,
  SolanaRouteRequest,
} from '#libs/routing/search/solana/solana-route.js';
import {
  type FitsRoute,
  mayGainBySplit,
  type SplitRoute,
  splitRoute,
  wholeRoute,
} from '#libs/routing/search/solana/split-route.js';
import { badRequest } from '#libs/serve/http/problem.js';
import { MAX_UNITS } from '#programs/client.js';
import { platformFee } from '../../quotes/platform-fee.js';
import type { QuotePricer, QuoteService } from '../../quotes/quote-service.js';
import { noRoute, Refusal } from '../../refusal.js';
import { type SolanaQuote, type SolanaQuoteHop, type SolanaQuoteLeg, thresholdOf } from '../model/solana-quote.js';
import type { SolanaChain } from '../ports.js';
import { type ReadySolana, readySolana } from '../readiness.js';
import { MAX_BYTES, MAX_KEYS } from '../transaction/v1-transaction.js';
import { CachedSolanaQuote } from './cached-solana-quote.js';
import { fittingRoute, type RouteFound } from './fitting-route.js';
import type { SolanaQuoteParameters } from './quote-parameters.js';

export type SolanaQuotes = QuoteService<SolanaQuoteParameters, ReadySolana, CachedSolanaQuote>;

/** Past this impact a quote carries a warning. */
const HIGH_IMPACT_PPM = 50_000;
/** The impact at which an amount stops being sensible. */
const SENSIBLE_PPM = 500_000;
const U64_MAX = (1n << 64n) - 1n;

/** Prices quotes of Solana: in one turn of the event loop, from the pools as they were last read. */
export const solanaPricer = (
  chain: SolanaChain,
): QuotePricer<SolanaQuoteParameters, ReadySolana, CachedSolanaQuote> => ({
  source: () => readySolana(chain),
  price: (ready, parameters) => new CachedSolanaQuote(ready, priced(ready, parameters)),
});

function priced(ready: ReadySolana, parameters: SolanaQuoteParameters): SolanaQuote {
  const { chain, services, deployment } = ready;
  const { inputMint, outputMint, exact, amount, feeBps, slippageBps, maxHops } = parameters;
  const { maxFeeBps } = deployment.config;
  if (feeBps > maxFeeBps) {
    throw badRequest(`platformFeeBps must be at most ${maxFeeBps}: the config of the swap program allows no more`);
  }
  const venues = usable(ready, parameters);
  const ask = (asked: SolanaRouteRequest): SolanaRouteAnswer => services.routes.find(asked);
  const request = { tokenIn: inputMint, tokenOut: outputMint, exact, amount, maxHops, venues, mixVenues: true };
  const fits: FitsRoute = (paths) => services.fits(paths, feeBps > 0 ? 1 : 0);
  const answer = fittingRoute(ask, request, fits);
  if (answer.kind !== 'route') throw refusalOf(ready, parameters, request, fits, answer);
  const { route, candidates } = answer;
  const alone = impactPpm([route.hops]);
  const find = (asked: SolanaRouteRequest): SolanaRoute | null => services.routes.route(asked);
  const split = mayGainBySplit(alone) ? splitRoute(find, request, route, fits) : wholeRoute(route);
  const amounts = walletAmounts(exact, amount, split, feeBps);
  if (amounts.amountOut === 0n) throw tooSmall(ready, parameters);
  if (amounts.amountIn > U64_MAX)
    throw badRequest('amount is too large: the input would be above 2^64 - 1 with its fee');
  const impact = split.legs.length === 1 ? alone : impactPpm(split.legs.map(({ hops }) => hops));
  const { amountIn, amountOut } = amounts;
  return {
    ...{ exact, inputMint, outputMint, slippageBps, feeBps, ...amounts },
    threshold: thresholdOf(exact, amountIn, amountOut, slippageBps),
    legs: split.legs.map(({ shareBps, hops }): SolanaQuoteLeg => ({ shareBps, hops: hopsOf(chain, hops) })),
    program: services.deployment.program,
    slot: Number(services.pools.moment!.slot),
    candidates,
    impactPpm: impact,
    inUsd: services.usd.value(inputMint, amountIn),
    outUsd: services.usd.value(outputMint, amountOut),
    warnings: impact !== null && impact > HIGH_IMPACT_PPM ? ['high_impact'] : [],
  };
}

/** What leaves and what reaches the wallet: the fee is taken on the side that is not exact. */
export function walletAmounts(
  exact: 'in' | 'out',
  amount: bigint,
  { amountIn, amountOut }: Pick<SplitRoute, 'amountIn' | 'amountOut'>,
  feeBps: number,
): { amountIn: bigint; amountOut: bigint; feeAmount: bigint } {
  const feeAmount = platformFee(exact === 'in' ? amountOut : amountIn, feeBps);
  return exact === 'in'
    ? { amountIn: amount, amountOut: amountOut - feeAmount, feeAmount }
    : { amountIn: amountIn + feeAmount, amountOut: amount, feeAmount };
}

export const hopsOf = (chain: SolanaChain, hops: readonly SolanaRouteHop[]): SolanaQuoteHop[] =>
  hops.map(({ pool, zeroForOne, amountIn, amountOut, fee, feeSide }) => ({
    pool: pool.id,
    venue: pool.venue,
    label: chain.venues.named(pool.venue)?.label ?? pool.venue,
    tokenIn: zeroForOne ? pool.token0 : pool.token1,
    tokenOut: zeroForOne ? pool.token1 : pool.token0,
    ...{ amountIn, amountOut, fee, feeSide },
  }));

/** The allowed venues that may be quoted now. */
function usable({ chain, servable }: ReadySolana, { venues }: SolanaQuoteParameters): ReadonlySet<string> {
  if (venues === null) return servable;
  const { slug } = chain.spec;
  if (venues.length === 0) throw noRoute(`excludeDexes leaves no venue of ${slug} to route over: allow one`);
  const both = new Set(venues.flatMap(({ venue }) => (servable.has(venue) ? [venue] : [])));
  if (both.size > 0) return both;
  const labels = venues.map(({ label }) => label).join(', ');
  throw noRoute(
    `none of the venues asked for has a live row in the config of the swap program now (${labels}): allow another one`,
  );
}

function refusalOf(
  ready: ReadySolana,
  parameters: SolanaQuoteParameters,
  request: SolanaRouteRequest,
  fits: FitsRoute,
  answer: Exclude<RouteFound, { kind: 'route' }>,
): Refusal {
  if (answer.kind === 'too-small') return tooSmall(ready, parameters);
  const { formatAddress } = ready.chain.spec.ids;
  const { inputMint, outputMint, maxHops } = parameters;
  const [input, output] = [inputMint, outputMint].map(formatAddress) as [string, string];
  const most = answer.kind === 'too-large' ? mostOf(ready, request, fits, answer.maxAmount) : null;
  if (answer.kind === 'unfit') {
    return noRoute(
      `no route from ${input} to ${output} fits one transaction (${MAX_KEYS} keys, ${MAX_BYTES} bytes, ${MAX_UNITS} compute units): ask for a smaller amount, or allow other venues`,
    );
  }
  if (most !== null) return lowLiquidity(most, parameters.exact, input, output);
  return noRoute(
    `no pools lead from ${input} to ${output} within ${maxHops} hops: check the mints, or allow more hops or venues`,
  );
}

interface Most {
  amountIn: bigint;
  amountOut: bigint;
  sensible: bigint | null;
}

/** The largest amount that has a route; null when none has. */
function mostOf({ services }: ReadySolana, request: SolanaRouteRequest, fits: FitsRoute, amount: bigint): Most | null {
  if (amount === 0n) return null;
  const answer = fittingRoute((asked) => services.routes.find(asked), { ...request, amount }, fits);
  if (answer.kind !== 'route') return null;
  const { hops, amountIn, amountOut } = answer.route;
  return { amountIn, amountOut, sensible: inputWithin(hops, amountIn, SENSIBLE_PPM) };
}

function lowLiquidity({ amountIn, amountOut, sensible }: Most, exact: 'in' | 'out', input: string, output: string) {
  const [most, mint] = exact === 'in' ? [amountIn, input] : [amountOut, output];
  return new Refusal(
    'low_liquidity',
    `routes exist, but none of them ${exact === 'in' ? 'takes' : 'gives'} that much: ask for at most ${most} base units of ${mint}`,
    {
      liquidity: {
        maxInAmount: String(amountIn),
        ...(exact === 'out' ? { maxOutAmount: String(amountOut) } : {}),
        mint: input,
        sensibleInAmount: sensible === null ? null : String(sensible),
      },
    },
  );
}

const tooSmall = ({ chain }: ReadySolana, { inputMint, amount }: { inputMint: Hex; amount: bigint }): Refusal =>
  noRoute(
    `no route gives anything for ${amount} base units of ${chain.spec.ids.formatAddress(inputMint)}: ask for a larger amount`,
  );
