import type { EvmQuote } from '#libs/serve/contract/rest/evm/quote-body.js';
import type { EvmSwapAnswer } from '#libs/serve/contract/rest/evm/swap-body.js';
import type { JsonObject } from '#libs/serve/http/json-body.js';
import { badRequest } from '#libs/serve/http/problem.js';
import type { HeldQuotes } from '../../held/held-quotes.js';
import { BodySource } from '../../http/parameter-source.js';
import { quoteMismatch } from '../../http/router-problem.js';
import { firstDifference } from '../../quotes/first-difference.js';
import { QuoteRequest } from '../../quotes/quote-request.js';
import { storeRefusal } from '../../quotes/quote-service.js';
import type { ReceiptBook } from '../../receipts/receipt-book.js';
import { notReady, quoteExpired } from '../../refusal.js';
import type { BuildRequest } from '../model/build-request.js';
import type { BuiltEvmSwap } from '../model/built-swap.js';
import { type IssuedQuote, venueOf } from '../model/evm-quote.js';
import type { EvmChainServices } from '../ports.js';
import type { EvmQuotes } from '../quote/price-quote.js';
import type { QuoteParameterReader } from '../quote/quote-parameters.js';
import { readQuote } from '../quote/read-quote.js';
import { readyServices } from '../readiness.js';
import { swapAnswer } from './swap-answer.js';
import { readSwapRequest, type SwapRequest } from './swap-request.js';

export interface SwapServiceDeps {
  reader: QuoteParameterReader;
  quotes: EvmQuotes;
  held: HeldQuotes;
  receipts: ReceiptBook<BuiltEvmSwap>;
  now: () => number;
}

/** Fields that a returned quote may lack; where it has them, they are compared. */
const OPTIONAL_FIELDS: ReadonlySet<string> = new Set(['impactBps', 'inUsd', 'outUsd', 'warnings']);

/**
 * Builds held quotes. It builds the quote that was held; the quote in the request only has to be equal to it. The quote
 * stays held after a build. When a request has parameters instead of a quote, a quote is first made of them and held.
 */
export class SwapService {
  constructor(private readonly deps: SwapServiceDeps) {}

  /** `account`: whose key asks; null: the router asks for no keys. */
  async build(
    body: JsonObject,
    account: string | null,
    startedAt: number,
    signal: AbortSignal,
  ): Promise<EvmSwapAnswer> {
    const asked = readSwapRequest(body);
    const quote = asked.returned === null ? await this.make(body, startedAt) : await this.find(asked.returned);
    refuseRouter(asked, quote);
    const services = this.servicesOf(quote);
    const request = buildRequest(quote, asked);
    signal.throwIfAborted();
    const built = await services.builder.build(request, signal);
    this.deps.receipts.built(built, account);
    return swapAnswer(built);
  }

  private async make(body: JsonObject, startedAt: number): Promise<IssuedQuote> {
    const { reader, quotes } = this.deps;
    const { priced, ...issue } = await quotes.make(new QuoteRequest(reader.read(new BodySource(body))), startedAt);
    return { ...issue, priced: priced.quote };
  }

  /** Compares the returned quote with the held text, and then reads that text once. */
  private async find(returned: { quoteId: string; quote: JsonObject }): Promise<IssuedQuote> {
    const { held, now, reader } = this.deps;
    let json: string | null;
    try {
      json = await held.find(returned.quoteId);
    } catch (error) {
      const { chain } = returned.quote;
      throw storeRefusal(error, (typeof chain === 'string' && reader.chains.of(chain)?.spec.slug) || 'evm');
    }
    if (json === null) throw quoteExpired();
    const body = JSON.parse(json) as EvmQuote;
    // The store also holds the quotes of Solana, which name no chain.
    if (body.chain === undefined) throw badRequest('quoteResponse is a quote of Solana: build it with POST /swap');
    if (now() > Date.parse(body.expiresAt)) throw quoteExpired();
    const difference = firstDifference(body, returned.quote, OPTIONAL_FIELDS);
    if (difference !== null) {
      throw quoteMismatch(
        `quoteResponse.${difference} is not what was quoted: send the quote back as it was answered, with every field`,
      );
    }
    const chain = reader.chains.of(body.chain);
    if (chain === null) throw notReady([`${body.chain}: no RPC configured`]);
    return readQuote(chain.spec, body);
  }

  /** The chain must be able to trade now, and the venue still be verified. */
  private servicesOf({ priced }: IssuedQuote): EvmChainServices {
    const { chain: spec, route } = priced;
    const services = readyServices(this.deps.reader.chains.of(spec.slug)!, this.deps.now());
    if (route !== null && !services.venues.servable().has(route.venue)) {
      throw notReady([`${spec.slug}: ${venueOf(spec, route).label} is not verified any more`]);
    }
    return services;
  }
}

/** Anyone can take what a router contract receives itself. */
function refuseRouter({ wallet, recipient }: SwapRequest, { priced }: IssuedQuote): void {
  if ((recipient ?? wallet).slice(2) !== priced.router) return;
  const field = recipient === null ? 'userPublicKey' : 'recipient';
  throw badRequest(`${field} must not be the router of the swap (0x${priced.router})`);
}

function buildRequest(quote: IssuedQuote, asked: SwapRequest): BuildRequest {
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
