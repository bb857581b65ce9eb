import { Feature } from '../feature/feature.js';
import { WalletHoldingsRoute } from './holdings.route.js';
import { WalletPnlRoute } from './pnl.route.js';
import { TopWalletRankings } from './top-wallets.js';
import { TopWalletsRoute } from './top-wallets.route.js';
import { WalletChannel } from './wallet.channel.js';
import { WalletTradesRoute } from './wallet-trades.route.js';

@Feature({
  routes: [TopWalletsRoute, WalletHoldingsRoute, WalletPnlRoute, WalletTradesRoute],
  channels: [WalletChannel],
  providers: [TopWalletRankings],
})
export class WalletsFeature {}
