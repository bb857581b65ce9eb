import { Feature } from '../feature/feature.js';
import { PairsChannel } from './pairs.channel.js';

@Feature({ channels: [PairsChannel] })
export class PairsFeature {}
