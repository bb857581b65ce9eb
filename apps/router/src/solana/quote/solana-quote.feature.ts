import type { Clock } from '#libs/app/modules/clock.js';
import { CLOCK } from '#libs/app/modules/tokens.js';
import { RouteFeature } from '#libs/serve/http/route-feature.js';
import type { HeldQuotes } from '../../held/held-quotes.js';
import type { RequestDeadline } from '../../http/request-deadline.js';
import { QuoteService } from '../../quotes/quote-service.js';
import { HELD_QUOTES, REQUEST_DEADLINE, SOLANA_CHAIN } from '../../tokens.js';
import type { SolanaChain } from '../ports.js';
import { GetSolanaQuoteRoute } from './get-quote.route.js';
import { PostSolanaQuoteRoute } from './post-quote.route.js';
import { type SolanaQuotes, solanaPricer } from './price-solana-quote.js';
import { SolanaParameterReader } from './quote-parameters.js';
import { SolanaQuoteAnswers } from './solana-quote-answers.js';

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
  inject: [QuoteService, REQUEST_DEADLINE],
  useFactory: (made: SolanaQuotes, deadline: RequestDeadline) => new SolanaQuoteAnswers(made, deadline),
};

/** Quotes of Solana. */
@RouteFeature({
  routes: [GetSolanaQuoteRoute, PostSolanaQuoteRoute],
  providers: [reader, quotes, answers],
})
export class SolanaQuoteFeature {}
