import type { Clock } from '#libs/app/modules/clock.js';
import { CLOCK, LOGGER } from '#libs/app/modules/tokens.js';
import type { HttpLogger } from '#libs/serve/http/listener.js';
import { RouteFeature } from '#libs/serve/http/route-feature.js';
import type { HeldQuotes } from '../../held/held-quotes.js';
import type { RequestDeadline } from '../../http/request-deadline.js';
import { receiptBook } from '../../receipts/receipt-book.js';
import type { ReceiptKeeper } from '../../receipts/receipt-keeper.js';
import { HELD_QUOTES, RECEIPTS, REQUEST_DEADLINE, SOLANA_CHAIN } from '../../tokens.js';
import type { SolanaChain } from '../ports.js';
import { solanaReceipts } from '../receipts/solana-receipts.js';
import { SolanaSwapService } from './solana-swap-service.js';
import { SolanaSwapInstructionsRoute, SolanaSwapRoute } from './swap.route.js';
import { SolanaSwapBuilds } from './swap-builds.js';

const builds = {
  provide: SolanaSwapBuilds,
  inject: [SOLANA_CHAIN, HELD_QUOTES, RECEIPTS, LOGGER, CLOCK, REQUEST_DEADLINE],
  useFactory: (
    chain: SolanaChain,
    held: HeldQuotes,
    keeper: Pick<ReceiptKeeper, 'add'>,
    logger: HttpLogger,
    now: Clock,
    deadline: RequestDeadline,
  ) => {
    const receipts = receiptBook(keeper, logger, solanaReceipts(chain));
    return new SolanaSwapBuilds(new SolanaSwapService(chain, held, receipts, now), deadline);
  },
};

/** Builds of quotes of Solana. */
@RouteFeature({ routes: [SolanaSwapRoute, SolanaSwapInstructionsRoute], providers: [builds] })
export class SolanaSwapFeature {}
