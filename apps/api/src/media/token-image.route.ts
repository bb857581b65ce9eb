import { TokenPath } from '#libs/serve/contract/rest/path-parameters.js';
import type { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler, type RouteInput } from '#libs/serve/http/declared-route.js';
import { badRequestError, unavailable, unknownToken } from '../access/api-errors.js';
import { ChainAccess } from '../access/chain-access.js';
import { mustKnow, tokenSubject } from '../access/token-subject.js';
import { mediaRedirect } from './media-answers.js';
import { MediaFiles } from './media-files.js';

@Route({
  id: 'getTokenImage',
  method: 'GET',
  path: '/tokens/:chain/:address/image',
  summary: 'Picture of a token',
  description:
    'Redirects to a file under `/media`, which needs no key: the picture of the token, or a pattern of its own where it has none.',
  parameters: TokenPath,
  answer: { mediaType: 'image/png', description: 'Where the redirect leads.', example: '(bytes)' },
  also: { 302: { type: null, description: 'To the picture; `Location` says where it is.' } },
  errors: [badRequestError, unknownToken, unavailable],
  access: 'keyed',
  cost: 'read',
  cache: 'none',
})
export class TokenImageRoute implements RouteHandler<TokenPath> {
  constructor(
    private readonly access: ChainAccess,
    private readonly files: MediaFiles,
  ) {}

  async handle({ path }: RouteInput<TokenPath, object>): Promise<Answer> {
    const subject = tokenSubject(this.access, path);
    const { reader, token } = subject;
    await mustKnow(reader.view(), subject);
    return mediaRedirect(this.files.addressOf(reader.chain.slug, token, reader.about.of(token)));
  }
}
