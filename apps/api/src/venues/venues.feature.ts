import { Feature } from '../feature/feature.js';
import { VenueVolumeRoute } from './venue-volume.route.js';

@Feature({ routes: [VenueVolumeRoute] })
export class VenuesFeature {}
