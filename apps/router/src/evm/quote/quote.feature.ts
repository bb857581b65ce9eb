import type { Clock } from '#libs/app/modules/clock.js';
import { CLOCK } from '#libs/app/modules/tokens.js';
import { RouteFeature } from '#libs/serve/http/route-feature.js';
import type { HeldQuotes } from '../../held/held-quotes.js';
import type { RequestDeadline } from '../../http/request-deadline.js';
import { QuoteService } from '../../quotes/quote-service.js';
import { EVM_CHAINS, HELD_QUOTES, REQUEST_DEADLINE } from '../../tokens.js';
import type { EvmChain } from '../ports.js';
import { type EvmQuotes, evmPricer } from './price-quote.js';
import { EvmQuoteAnswers, GetQuoteRoute, PostQuoteRoute } from './quote.route.js';
import { QuoteParameterReader } from './quote-parameters.js';

const reader = {
  provide: QuoteParameterReader,
  inject: [EVM_CHAINS],
  useFactory: (chains: readonly EvmChain[]) => new QuoteParameterReader(chains),
};

const quotes = {
  provide: QuoteService,
  inject: [HELD_QUOTES, CLOCK],
  useFactory: (held: HeldQuotes, now: Clock): EvmQuotes => new QuoteService(evmPricer, held, now),
};

const answers = {
  provide: EvmQuoteAnswers,
  inject: [QuoteParameterReader, QuoteService, REQUEST_DEADLINE],
  useFactory: (parameters: QuoteParameterReader, made: EvmQuotes, deadline: RequestDeadline) =>
    new EvmQuoteAnswers(parameters, made, deadline),
};

/** Quotes of the EVM chains; builds take parameters and make quotes as these routes do. */
@RouteFeature({
  routes: [GetQuoteRoute, PostQuoteRoute],
  providers: [reader, quotes, answers],
  exports: [QuoteParameterReader, QuoteService],
})
export class QuoteFeature {}
