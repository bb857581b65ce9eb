import type { Clock } from '#libs/app/modules/clock.js';
import { CLOCK } from '#libs/app/modules/tokens.js';
import { RouteFeature } from '#libs/serve/http/route-feature.js';
import type { HeldQuotes } from '../../held/held-quotes.js';
import type { RequestDeadline } from '../../http/request-deadline.js';
import { QuoteService } from '../../quotes/quote-service.js';
import { HELD_QUOTES, REQUEST_DEADLINE, SOLANA_CHAIN } from '../../tokens.js';
import type { SolanaChain } from '../ports.js';
import { withQuoteId } from '../solana-errors.js';
import { type SolanaQuotes, solanaPricer } from './price-solana-quote.js';
import { GetSolanaQuoteRoute, PostSolanaQuoteRoute, SolanaQuoteAnswers } from './quote.route.js';
import { SolanaParameterReader } from './quote-parameters.js';

const reader = {
  provide: SolanaParameterReader,
  inject: [SOLANA_CHAIN],
  useFactory: (chain: SolanaChain) => new SolanaParameterReader(chain),
};

const quotes = {
  provide: QuoteService,
  inject: [SOLANA_CHAIN, HELD_QUOTES, CLOCK],
  useFactory: (chain: SolanaChain, held: HeldQuotes, now: Clock): SolanaQuotes =>
    new QuoteService(solanaPricer(chain), held, now),
};

const answers = {
  provide: SolanaQuoteAnswers,
  inject: [SolanaParameterReader, QuoteService, REQUEST_DEADLINE],
  useFactory: (parameters: SolanaParameterReader, made: SolanaQuotes, deadline: RequestDeadline) =>
    new SolanaQuoteAnswers(parameters, made, deadline, withQuoteId),
};

/** Quotes of Solana. */
@RouteFeature({
  routes: [GetSolanaQuoteRoute, PostSolanaQuoteRoute],
  providers: [reader, quotes, answers],
})
export class SolanaQuoteFeature {}
