import { TokenPath } from '#libs/serve/contract/rest/path-parameters.js';
import type { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler, type RouteInput } from '#libs/serve/http/declared-route.js';
import { badRequestError, unknownChain } from '../access/api-errors.js';
import { ChainAccess } from '../access/chain-access.js';
import { tokenSubject } from '../access/token-subject.js';
import { MediaFiles } from './media-files.js';

@Route({
  id: 'getCurrentImage',
  method: 'GET',
  path: '/media/tokens/:chain/:address',
  summary: 'Picture of a token, for a page',
  description:
    'The picture that the token has now, or a pattern of its own where it has none, also for a token that is not known. Needs no key and no redirect, so that a page can name it for any token. It may be kept for five minutes, a pattern for ten seconds.',
  parameters: TokenPath,
  answer: {
    ...{ mediaType: 'image/webp', orMediaTypes: ['image/png'] },
    ...{ description: 'The picture: WebP, or PNG for a pattern.', example: '(bytes)' },
  },
  errors: [badRequestError, unknownChain],
  access: 'open',
  cost: 'free',
  cache: 'none',
})
export class CurrentImageRoute implements RouteHandler<TokenPath> {
  constructor(
    private readonly access: ChainAccess,
    private readonly files: MediaFiles,
  ) {}

  handle({ path }: RouteInput<TokenPath, object>): Promise<Answer> {
    const { reader, token } = tokenSubject(this.access, path);
    return this.files.ofToken(reader.chain.slug, token, reader.about.of(token));
  }
}
