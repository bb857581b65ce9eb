import type { Clock } from '#libs/app/modules/clock.js';
import { CLOCK, LOGGER } from '#libs/app/modules/tokens.js';
import type { HttpLogger } from '#libs/serve/http/listener.js';
import { RouteFeature } from '#libs/serve/http/route-feature.js';
import type { HeldQuotes } from '../../held/held-quotes.js';
import { QuoteService } from '../../quotes/quote-service.js';
import { receiptBook } from '../../receipts/receipt-book.js';
import type { ReceiptKeeper } from '../../receipts/receipt-keeper.js';
import { HELD_QUOTES, RECEIPTS } from '../../tokens.js';
import type { EvmQuotes } from '../quote/price-quote.js';
import { QuoteFeature } from '../quote/quote.feature.js';
import { QuoteParameterReader } from '../quote/quote-parameters.js';
import { evmReceipts } from '../receipts/evm-receipts.js';
import { SwapInstructionsRoute, SwapRoute } from './swap.route.js';
import { SwapService } from './swap-service.js';

const swaps = {
  provide: SwapService,
  inject: [QuoteParameterReader, QuoteService, HELD_QUOTES, RECEIPTS, LOGGER, CLOCK],
  useFactory: (
    reader: QuoteParameterReader,
    quotes: EvmQuotes,
    held: HeldQuotes,
    keeper: Pick<ReceiptKeeper, 'add'>,
    logger: HttpLogger,
    now: Clock,
  ) => new SwapService({ reader, quotes, held, receipts: receiptBook(keeper, logger, evmReceipts), now }),
};

/** Builds of quotes of the EVM chains. */
@RouteFeature({ imports: [QuoteFeature], routes: [SwapRoute, SwapInstructionsRoute], providers: [swaps] })
export class SwapFeature {}
