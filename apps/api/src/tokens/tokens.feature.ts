import { Feature } from '../feature.js';
import { TokenRoute } from './token.route.js';

@Feature({ routes: [TokenRoute] })
export class TokensFeature {}
