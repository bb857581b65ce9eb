import { RouteFeature } from '#libs/serve/http/route-feature.js';
import { SolanaReceiptsRoute } from './receipts.route.js';

/** What builds of Solana promised and gave. */
@RouteFeature({ routes: [SolanaReceiptsRoute] })
export class SolanaReceiptsFeature {}
