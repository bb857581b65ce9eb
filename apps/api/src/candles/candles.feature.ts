import { Feature } from '../feature/feature.js';
import { CandlesChannel } from './candles.channel.js';
import { TokenCandlesRoute } from './token-candles.route.js';

@Feature({ routes: [TokenCandlesRoute], channels: [CandlesChannel] })
export class CandlesFeature {}
