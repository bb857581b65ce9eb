import { Feature } from '../feature/feature.js';
import { TokenPositionsRoute } from './token-positions.route.js';
import { TokenTradersRoute } from './token-traders.route.js';

@Feature({ routes: [TokenPositionsRoute, TokenTradersRoute] })
export class PositionsFeature {}
