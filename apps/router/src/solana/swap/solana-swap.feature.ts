import { RouteFeature } from '#libs/http/route-feature.js';
import type { HeldQuotes } from '../../held/held-quotes.js';
import type { RequestDeadline } from '../../http/request-deadline.js';
import { HELD_QUOTES, NOW, REQUEST_DEADLINE, SOLANA_CHAIN } from '../../tokens.js';
import type { SolanaChain } from '../ports.js';
import { SolanaSwapService } from './solana-swap-service.js';
import { SolanaSwapRoute } from './swap.route.js';
import { SolanaSwapBuilds } from './swap-builds.js';
import { SolanaSwapInstructionsRoute } from './swap-instructions.route.js';

const builds = {
  provide: SolanaSwapBuilds,
  inject: [SOLANA_CHAIN, HELD_QUOTES, NOW, REQUEST_DEADLINE],
  useFactory: (chain: SolanaChain, held: HeldQuotes, now: () => number, deadline: RequestDeadline) =>
    new SolanaSwapBuilds(new SolanaSwapService(chain, held, now), deadline),
};

/** Builds of quotes of Solana. */
@RouteFeature({ routes: [SolanaSwapRoute, SolanaSwapInstructionsRoute], providers: [builds] })
export class SolanaSwapFeature {}
