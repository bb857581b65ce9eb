import { Feature } from '../feature/feature.js';
import { PricesChannel } from './prices.channel.js';
import { PricesRoute } from './prices.route.js';
import { TokenChannel } from './token.channel.js';
import { TokenRoute } from './token.route.js';
import { TokensRoute } from './tokens.route.js';

@Feature({ routes: [TokenRoute, TokensRoute, PricesRoute], channels: [TokenChannel, PricesChannel] })
export class TokensFeature {}
