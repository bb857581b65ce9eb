import { API_DEPS, type ApiDeps } from '../access/api-deps.js';
import { Feature } from '../feature/feature.js';
import { CurrentImageRoute } from './current-image.route.js';
import { MediaRoute } from './media.route.js';
import { MediaFiles } from './media-files.js';
import { TokenImageRoute } from './token-image.route.js';

const files = {
  provide: MediaFiles,
  inject: [API_DEPS],
  useFactory: ({ publicUrl = null, pictures = null }: ApiDeps) => new MediaFiles(publicUrl, pictures),
};

@Feature({ routes: [TokenImageRoute, MediaRoute, CurrentImageRoute], providers: [files] })
export class MediaFeature {}
