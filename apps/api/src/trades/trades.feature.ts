import { Feature } from '../feature/feature.js';
import { TokenTradesRoute } from './token-trades.route.js';
import { TradesChannel } from './trades.channel.js';

@Feature({ routes: [TokenTradesRoute], channels: [TradesChannel] })
export class TradesFeature {}
