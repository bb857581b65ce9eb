import { PICTURES, type Pictures, PUBLIC_URL } from '../access/api-parts.js';
import { Feature } from '../feature/feature.js';
import { CurrentImageRoute } from './current-image.route.js';
import { MediaRoute } from './media.route.js';
import { MediaFiles } from './media-files.js';
import { TokenImageRoute } from './token-image.route.js';

const files = {
  provide: MediaFiles,
  inject: [PUBLIC_URL, PICTURES],
  useFactory: (publicUrl: string | null, pictures: Pictures | null) => new MediaFiles(publicUrl, pictures),
};

@Feature({ routes: [TokenImageRoute, MediaRoute, CurrentImageRoute], providers: [files] })
export class MediaFeature {}
