import { Inject } from '@nestjs/common';
import { LOGGER } from '#libs/app/modules/tokens.js';
import { LAUNCH_FILES } from '#libs/protocol/launch-files.js';
import { LaunchFilePath, LaunchMetadata } from '#libs/serve/contract/rest/launch/launch-body.js';
import { LaunchErrorBody } from '#libs/serve/contract/rest/launch/launch-error-body.js';
import { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler, type RouteInput } from '#libs/serve/http/declared-route.js';
import type { HttpLogger } from '#libs/serve/http/listener.js';
import { HttpProblem, notFound } from '#libs/serve/http/problem.js';
import { LAUNCH } from '../tokens.js';
import type { LaunchDeps } from './launch-deps.js';
import { unknownFile } from './launch-errors.js';
import { SAMPLE_IMAGE } from './launch-files.js';
import { samplePicture } from './sample-picture.js';

const HEADERS = {
  'cache-control': 'public, max-age=31536000, immutable',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'cross-origin',
};

@Route({
  id: 'getLaunchFile',
  method: 'GET',
  path: `${LAUNCH_FILES}/:name`,
  summary: 'Metadata of a token',
  description:
    'What `metadataUri` of a create leads to: `name`, `symbol`, `description`, `image`, and the links that were given. A name stands for its content and never changes. `sample.png` is a picture for demonstrations.',
  parameters: LaunchFilePath,
  answer: LaunchMetadata,
  errors: [
    unknownFile,
    {
      status: 503,
      code: 'not_ready',
      meaning: 'the log does not answer; send the same request again.',
      example: 'the metadata cannot be read now: try again',
      retry: true,
    },
  ],
  errorBody: LaunchErrorBody,
  access: 'open',
  cost: 'free',
  cache: 'none',
})
export class LaunchFileRoute implements RouteHandler<LaunchFilePath> {
  constructor(
    @Inject(LAUNCH) private readonly deps: LaunchDeps,
    @Inject(LOGGER) private readonly logger: HttpLogger,
  ) {}

  async handle({ path: { name } }: RouteInput<LaunchFilePath, object>): Promise<Answer> {
    if (name === SAMPLE_IMAGE) return new Answer(samplePicture(), 'image/png', '"sample"', HEADERS);
    const found = await this.deps.metadata.find(name).catch((error: unknown) => {
      this.logger.warn({ err: error }, 'metadata of a launch were not read');
      throw new HttpProblem(503, 'not_ready', 'the metadata cannot be read now: try again');
    });
    if (found === null) throw notFound(`there is no file ${JSON.stringify(name.slice(0, 100))}`);
    return new Answer(Buffer.from(found), 'application/json; charset=utf-8', `"${name}"`, HEADERS);
  }
}
