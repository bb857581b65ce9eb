import { API_DEPS, type ApiDeps } from '../access/api-deps.js';
import { Feature } from '../feature/feature.js';
import { MediaRoute } from './media.route.js';
import { MediaFiles } from './media-files.js';
import { TokenImageRoute } from './token-image.route.js';

const files = {
  provide: MediaFiles,
  inject: [API_DEPS],
  useFactory: ({ publicUrl = null }: ApiDeps) => new MediaFiles(publicUrl),
};

@Feature({ routes: [TokenImageRoute, MediaRoute], providers: [files] })
export class MediaFeature {}
