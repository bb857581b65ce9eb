import type { JsonObject } from '#libs/http/json-body.js';
import type { HttpLogger } from '#libs/http/listener.js';
import { badRequest } from '#libs/http/problem.js';
import type { EvmQuote } from '#libs/protocol/rest/evm/quote-body.js';
import type { EvmSwapAnswer } from '#libs/protocol/rest/evm/swap-body.js';
import type { HeldQuotes } from '../../held/held-quotes.js';
import { BodySource } from '../../http/parameter-source.js';
import { notReady, quoteExpired, quoteMismatch } from '../../http/router-problem.js';
import { firstDifference } from '../../quotes/first-difference.js';
import { Question } from '../../quotes/quote-request.js';
import type { BuildRequest, EvmChainServices, ReceiptBook } from '../ports.js';
import type { QuoteParameterReader } from '../quote/quote-parameters.js';
import { heldProblem, type QuoteService } from '../quote/quote-service.js';
import { readyServices } from './readiness.js';
import { readSwapRequest, type SwapRequest } from './swap-request.js';

export interface SwapServiceDeps {
  reader: QuoteParameterReader;
  quotes: QuoteService;
  held: HeldQuotes;
  receipts: ReceiptBook | null;
  logger: HttpLogger;
  now: () => number;
}

/**
 * Builds of held quotes. What is built is the quote as it was held, never the one that came in: that one only has to be
 * the same. A build leaves its quote held; without a quote the parameters beside the wallet make and hold one first.
 */
export class SwapService {
  constructor(private readonly deps: SwapServiceDeps) {}

  async build(body: JsonObject, startedAt: number, signal: AbortSignal): Promise<EvmSwapAnswer> {
    const asked = readSwapRequest(body);
    const quote = asked.returned === null ? await this.make(body, startedAt) : await this.find(asked.returned);
    if (asked.recipient === quote.router) {
      throw badRequest(`recipient must not be the router of the swap (${quote.router})`);
    }
    const services = this.servicesOf(quote);
    const request = buildRequest(quote, asked);
    signal.throwIfAborted();
    const answer = await services.builder.build(request, signal);
    this.keep(request, answer);
    return answer;
  }

  private async make(body: JsonObject, startedAt: number): Promise<EvmQuote> {
    const { reader, quotes } = this.deps;
    return (await quotes.make(new Question(reader.read(new BodySource(body))), startedAt)).quote;
  }

  private async find(returned: { quoteId: string; quote: JsonObject }): Promise<EvmQuote> {
    let held: EvmQuote | null;
    try {
      const json = await this.deps.held.find(returned.quoteId);
      held = json === null ? null : (JSON.parse(json) as EvmQuote);
    } catch (error) {
      const { chain } = returned.quote;
      throw heldProblem(error, (typeof chain === 'string' && this.deps.reader.chains.of(chain)?.spec.slug) || 'evm');
    }
    if (held === null || this.deps.now() > Date.parse(held.expiresAt)) throw quoteExpired();
    const difference = firstDifference(held, returned.quote);
    if (difference === null) return held;
    throw quoteMismatch(
      `quoteResponse.${difference} is not what was quoted: send the quote back as it was answered, with every field`,
    );
  }

  /** The chain must be able to trade now, and the venue still be what was verified. */
  private servicesOf(quote: EvmQuote): EvmChainServices {
    const chain = this.deps.reader.chains.of(quote.chain);
    if (chain === null) throw notReady([`${quote.chain}: no RPC configured`]);
    const services = readyServices(chain, this.deps.now());
    const servable = services.venues.servable();
    for (const { venueId, swapInfo } of quote.routePlan) {
      const venue = chain.spec.venues.find(({ id }) => id === venueId);
      if (venue === undefined || !servable.has(venue.venue)) {
        throw notReady([`${quote.chain}: ${swapInfo.label} is not verified any more`]);
      }
    }
    return services;
  }

  /** A receipt that cannot be kept is no reason to withhold a build. */
  private keep(request: BuildRequest, answer: EvmSwapAnswer): void {
    try {
      this.deps.receipts?.built({ request, answer });
    } catch (error) {
      this.deps.logger.error({ err: error, quoteId: request.quote.quoteId }, 'the receipt of a build was not kept');
    }
  }
}

function buildRequest(quote: EvmQuote, asked: SwapRequest): BuildRequest {
  const { wallet, recipient, slippageBps, deadlineSeconds, returned } = asked;
  return {
    quote,
    wallet: wallet.slice(2),
    recipient: recipient === null ? null : recipient.slice(2),
    // Without a quote it is a parameter of the quote that was just made.
    slippageBps: returned === null ? null : slippageBps,
    deadlineSeconds,
  };
}
