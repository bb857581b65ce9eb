import { Inject } from '@nestjs/common';
import type { ChannelDeclaration } from '#libs/serve/contract/channel-declaration.js';
import { openRoute } from '#libs/serve/contract/common-routes.js';
import type { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler } from '#libs/serve/http/declared-route.js';
import { yamlDocument } from '#libs/serve/http/yaml-document.js';
import { DECLARED_CHANNELS } from '../access/api-parts.js';
import { liveDocument } from './live-document.js';

@Route({
  ...openRoute,
  id: 'getLiveDocument',
  path: '/asyncapi.yaml',
  summary: 'The live interface as a document',
  answer: {
    mediaType: 'application/yaml',
    description: 'AsyncAPI 3, YAML.',
    example: { asyncapi: '3.0.0', info: { title: 'Tidepool live interface', version: '1.0.0' }, channels: {} },
  },
})
export class AsyncApiRoute implements RouteHandler {
  readonly handle: () => Answer;

  constructor(@Inject(DECLARED_CHANNELS) channels: readonly ChannelDeclaration[]) {
    this.handle = yamlDocument(() => liveDocument(channels));
  }
}
