import { randomUUID } from 'node:crypto';
import type { ChainSpec, VenueSpec } from '#libs/market-ports/chain-spec.js';
import type { BookHead } from '#libs/pools/pool-book.js';
import type { EvmQuote } from '#libs/protocol/rest/evm/quote-body.js';
import type { Route } from '#libs/routing/route.js';
import type { HeldQuotes } from '../../held/held-quotes.js';
import { QuoteStoreUnavailableError } from '../../held/quote-store-unavailable.js';
import { lowLiquidity, noRoute, notReady } from '../../http/router-problem.js';
import { basisOf, CachedQuote, type QuoteText } from '../../quotes/cached-quote.js';
import type { Question } from '../../quotes/quote-request.js';
import { readyServices } from '../http/readiness.js';
import type { EvmChainServices } from '../ports.js';
import type { QuoteParameters } from './quote-parameters.js';

/** A quote as the text that is answered and held; whoever needs the object reads it from there. */
export class MadeQuote {
  constructor(
    readonly quoteId: string,
    readonly json: string,
  ) {}

  get quote(): EvmQuote {
    return JSON.parse(this.json) as EvmQuote;
  }
}

/** Gas of a whole transaction that only wraps or unwraps: the base cost, one balance and one event. */
const WRAP_GAS = 46_000n;
const UNWRAP_GAS = 36_000n;

/**
 * Makes quotes: priced in one turn of the event loop from one block of the book, then held, then answered. What is
 * answered is held: a quote that could not be held is a 503. Each has an id and a life of its own; what a question was
 * answered the last time is written again only while nothing that it follows from has changed.
 */
export class QuoteService {
  private expiry = { ms: Number.NaN, text: '' };

  constructor(
    private readonly held: HeldQuotes,
    private readonly now: () => number,
  ) {}

  /** At once, unless the held quotes take their time. `startedAt`: when the request came in, by `performance.now()`. */
  make(question: Question, startedAt: number): MadeQuote | Promise<MadeQuote> {
    const { chain } = question.parameters;
    const now = this.now();
    const services = readyServices(chain, now);
    const { spec } = chain;
    if (question.standing === null || !question.standing.standsOn(services)) {
      question.standing = quoted(services, question.parameters);
    }
    const lifetimeMs = spec.evm!.quoteLifetimeMs;
    const quoteId = randomUUID();
    const expiresAt = this.expiryText(now + lifetimeMs);
    const made = new MadeQuote(quoteId, question.standing.write(secondsSince(startedAt), quoteId, expiresAt));
    const holding = this.held.hold(quoteId, made.json, lifetimeMs);
    if (holding === undefined) return made;
    return holding.then(
      () => made,
      (error: unknown) => {
        throw heldProblem(error, spec.slug);
      },
    );
  }

  /** Quotes of one millisecond share it. */
  private expiryText(ms: number): string {
    if (ms !== this.expiry.ms) this.expiry = { ms, text: new Date(ms).toISOString() };
    return this.expiry.text;
  }
}

function quoted(services: EvmChainServices, parameters: QuoteParameters): CachedQuote {
  const { spec } = services;
  const ground = basisOf(services);
  const wraps = parameters.input.token === parameters.output.token;
  const priced = wraps ? wrapping(spec, parameters) : routed(services, parameters);
  return new CachedQuote(ground, priced.route, priced.gasEstimate, textOf(spec, parameters, priced, ground.head));
}

/**
 * The quote as JSON, with the fields of EvmQuote in their order. It is put together as text because a quote is answered
 * more often than anything else: all that is set in here are digits, hex and, as they are in the manifest, labels. Joined
 * texts are flat: they are copied at once wherever they go.
 */
function textOf(spec: ChainSpec, parameters: QuoteParameters, priced: Priced, head: BookHead): QuoteText {
  const { input, output, amount, slippageBps } = parameters;
  const { outAmount, exact, routePlan, router, gasEstimate, candidates } = priced;
  const threshold = exact ? amount : floorOf(outAmount, slippageBps);
  const upToSeconds = [
    `{"inputMint":"${input.address}","inAmount":"${amount}","outputMint":"${output.address}","outAmount":"${outAmount}",`,
    `"otherAmountThreshold":"${threshold}","swapMode":"ExactIn","slippageBps":${slippageBps},"priceImpactPct":"0",`,
    `"routePlan":[${routePlan}],"contextSlot":${head.height},"timeTaken":`,
  ].join('');
  const upToExpiry = [
    `,"chain":"${spec.slug}","chainId":${spec.chainId!},"router":"${router}",`,
    `"gasEstimate":"${gasEstimate}","blockHash":"${spec.ids.formatBlockHash(head.hash)}","expiresAt":"`,
  ].join('');
  return { upToSeconds, upToExpiry, rest: `","candidates":${candidates}}` };
}

/** The least that a build of a quote accepts: rounded down, as the router contract compares. */
export const floorOf = (outAmount: bigint, slippageBps: number): bigint =>
  (outAmount * BigInt(10_000 - slippageBps)) / 10_000n;

/** What a caller is told when the held quotes do not answer; any other failure stays what it is. */
export function heldProblem(error: unknown, chain: string): unknown {
  return error instanceof QuoteStoreUnavailableError
    ? notReady([`${chain}: the store of held quotes does not answer`])
    : error;
}

interface Priced {
  outAmount: bigint;
  /** One for one: slippage has no meaning. */
  exact: boolean;
  /** The steps as JSON, without the brackets of the list. */
  routePlan: string;
  /** null: no pool is needed. */
  route: Route | null;
  router: string;
  gasEstimate: bigint;
  candidates: number;
}

/** Coin for wrapped coin and back: no pool, no venue, one for one. */
function wrapping(spec: ChainSpec, { amount, input, venues }: QuoteParameters): Priced {
  if (venues?.length === 0) throw excluded(spec);
  const router = spec.ids.formatAddress(spec.wrappedNative.token);
  const gasEstimate = input.address === router ? UNWRAP_GAS : WRAP_GAS;
  return { outAmount: amount, exact: true, route: null, routePlan: '', router, gasEstimate, candidates: 0 };
}

function routed(services: EvmChainServices, parameters: QuoteParameters): Priced {
  const { spec } = services;
  const { input, output, amount, maxHops } = parameters;
  const venues = usable(services, parameters.venues);
  const answer = services.routes.find({
    tokenIn: input.token,
    tokenOut: output.token,
    amountIn: amount,
    maxHops,
    venues,
  });
  if (answer.kind === 'route') {
    const { route, candidates } = answer;
    const venue = spec.venues.find((candidate) => candidate.venue === route.venue)!;
    return {
      outAmount: route.amountOut,
      exact: false,
      route,
      routePlan: stepsOf(spec, venue, route),
      router: spec.ids.formatAddress(venue.contracts!.router),
      gasEstimate: services.gas.estimate(route),
      candidates,
    };
  }
  if (answer.kind === 'too-large') throw lowLiquidity(answer.maxAmountIn, input.address);
  if (answer.kind === 'too-small') {
    throw noRoute(`no route gives anything for ${amount} base units of ${input.address}: ask for a larger amount`);
  }
  throw noRoute(
    `no pools of one venue lead from ${input.address} to ${output.address} within ${maxHops} hops on ${spec.slug}: check the mints, or allow more hops or venues`,
  );
}

/** The allowed venues that may be quoted now. */
function usable(services: EvmChainServices, allowed: readonly VenueSpec[] | null): ReadonlySet<string> {
  const servable = services.venues.servable();
  if (allowed === null) return servable;
  if (allowed.length === 0) throw excluded(services.spec);
  const venues = new Set(allowed.flatMap(({ venue }) => (servable.has(venue) ? [venue] : [])));
  if (venues.size > 0) return venues;
  throw noRoute(
    `none of the venues asked for is verified on ${services.spec.slug} now (${allowed.map(({ label }) => label).join(', ')}): allow another one`,
  );
}

const excluded = (spec: ChainSpec) => noRoute(`excludeDexes leaves no venue of ${spec.slug} to route over: allow one`);

/** Texts of routes that are asked for again while they stand. */
const stepTexts = new WeakMap<Route, string>();

function stepsOf(spec: ChainSpec, venue: VenueSpec, route: Route): string {
  let text = stepTexts.get(route);
  if (text === undefined) {
    text = stepText(spec, venue, route);
    stepTexts.set(route, text);
  }
  return text;
}

function stepText(spec: ChainSpec, venue: VenueSpec, route: Route): string {
  const { formatAddress } = spec.ids;
  const [label, venueId] = [JSON.stringify(venue.label), JSON.stringify(venue.id)];
  let steps = '';
  for (const { pool, zeroForOne, amountIn, amountOut, feeAmount } of route.hops) {
    const inputMint = formatAddress(zeroForOne ? pool.token0 : pool.token1);
    const outputMint = formatAddress(zeroForOne ? pool.token1 : pool.token0);
    steps +=
      `${steps === '' ? '' : ','}{"swapInfo":{"ammKey":"${formatAddress(pool.id)}","label":${label},` +
      `"inputMint":"${inputMint}","inAmount":"${amountIn}","outputMint":"${outputMint}","outAmount":"${amountOut}",` +
      `"feeAmount":"${feeAmount}","feeMint":"${inputMint}"},"percent":100,"bps":10000,"fee":${pool.feePpm},` +
      `"venueId":${venueId}}`;
  }
  return steps;
}

/** To the microsecond, at least one. */
const secondsSince = (startedAt: number): number =>
  Math.max(1, Math.round((performance.now() - startedAt) * 1_000)) / 1_000_000;
