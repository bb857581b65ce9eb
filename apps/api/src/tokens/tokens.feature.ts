import { Feature } from '../feature/feature.js';
import { PricesRoute } from './prices.route.js';
import { TokenRoute } from './token.route.js';
import { TokensRoute } from './tokens.route.js';

@Feature({ routes: [TokenRoute, TokensRoute, PricesRoute] })
export class TokensFeature {}
