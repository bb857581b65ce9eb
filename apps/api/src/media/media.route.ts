import { MediaPath } from '#libs/serve/contract/rest/media-body.js';
import type { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler, type RouteInput } from '#libs/serve/http/declared-route.js';
import { notFound } from '#libs/serve/http/problem.js';
import { badRequestError, unknownMedia } from '../access/api-errors.js';
import { MediaFiles } from './media-files.js';

@Route({
  id: 'getMedia',
  method: 'GET',
  path: '/media/:name',
  summary: 'A picture',
  description:
    'Where the `image` of a row and `/tokens/{chain}/{address}/image` lead. Always a picture that this service has written itself, never a file as somebody uploaded it, and never SVG. A name stands for its content and never changes.',
  parameters: MediaPath,
  answer: {
    mediaType: 'image/png',
    orMediaTypes: ['image/webp'],
    description: 'The picture: PNG, or WebP where the name ends so.',
    example: '(bytes)',
  },
  errors: [badRequestError, unknownMedia],
  access: 'open',
  cost: 'free',
  cache: 'none',
})
export class MediaRoute implements RouteHandler<MediaPath> {
  constructor(private readonly files: MediaFiles) {}

  async handle({ path: { name } }: RouteInput<MediaPath, object>): Promise<Answer> {
    const answer = await this.files.answer(name);
    if (answer === null) throw notFound(`there is no picture ${JSON.stringify(name.slice(0, 100))}`);
    return answer;
  }
}
