import { Feature } from '../feature/feature.js';
import { WalletHoldingsRoute } from './holdings.route.js';
import { WalletPnlRoute } from './pnl.route.js';

@Feature({ routes: [WalletHoldingsRoute, WalletPnlRoute] })
export class WalletsFeature {}
