import { Feature } from '../feature/feature.js';
import { HoldersChannel } from './holders.channel.js';
import { TokenHoldersRoute } from './token-holders.route.js';

@Feature({ routes: [TokenHoldersRoute], channels: [HoldersChannel] })
export class HoldersFeature {}
