import { Feature } from '../feature/feature.js';
import { PoolRoute } from './pool.route.js';

@Feature({ routes: [PoolRoute] })
export class PoolsFeature {}
