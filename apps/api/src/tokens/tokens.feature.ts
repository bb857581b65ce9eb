import { Feature } from '../feature/feature.js';
import { TokenRoute } from './token.route.js';

@Feature({ routes: [TokenRoute] })
export class TokensFeature {}
