import { Feature } from '../feature/feature.js';
import { WalletHoldingsRoute } from './holdings.route.js';

@Feature({ routes: [WalletHoldingsRoute] })
export class WalletsFeature {}
