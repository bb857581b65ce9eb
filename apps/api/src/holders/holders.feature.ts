import { Feature } from '../feature/feature.js';
import { TokenHoldersRoute } from './token-holders.route.js';

@Feature({ routes: [TokenHoldersRoute] })
export class HoldersFeature {}
