import { Feature } from '../feature/feature.js';
import { UsageRoute } from './usage.route.js';

@Feature({ routes: [UsageRoute] })
export class AccountFeature {}
