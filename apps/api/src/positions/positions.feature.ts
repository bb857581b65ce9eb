import { Feature } from '../feature/feature.js';
import { TokenPositionsRoute } from './token-positions.route.js';
import { TokenTradersRoute } from './token-traders.route.js';
import { TradersChannel } from './traders.channel.js';

@Feature({ routes: [TokenPositionsRoute, TokenTradersRoute], channels: [TradersChannel] })
export class PositionsFeature {}
