import { RouteFeature } from '#libs/serve/http/route-feature.js';
import { ReceiptsRoute } from './receipts.route.js';

@RouteFeature({ routes: [ReceiptsRoute] })
export class ReceiptsFeature {}
