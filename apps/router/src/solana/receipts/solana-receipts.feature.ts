import { RouteFeature } from '#libs/serve/http/route-feature.js';
import { SolanaReceiptsRoute } from './receipts.route.js';

/** The receipts of Solana: what builds promised, and what the chain gave. */
@RouteFeature({ routes: [SolanaReceiptsRoute] })
export class SolanaReceiptsFeature {}
