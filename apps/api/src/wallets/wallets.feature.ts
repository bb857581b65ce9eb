import { Feature } from '../feature/feature.js';
import { WalletHoldingsRoute } from './holdings.route.js';
import { WalletPnlRoute } from './pnl.route.js';
import { TopWalletsRoute } from './top-wallets.route.js';
import { WalletTradesRoute } from './wallet-trades.route.js';

@Feature({ routes: [TopWalletsRoute, WalletHoldingsRoute, WalletPnlRoute, WalletTradesRoute] })
export class WalletsFeature {}
