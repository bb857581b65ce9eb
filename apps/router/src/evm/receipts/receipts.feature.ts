import { RouteFeature } from '#libs/http/route-feature.js';
import { ReceiptsRoute } from './receipts.route.js';

@RouteFeature({ routes: [ReceiptsRoute] })
export class ReceiptsFeature {}
