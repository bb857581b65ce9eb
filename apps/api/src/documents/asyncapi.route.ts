import { Inject } from '@nestjs/common';
import type { Answer } from '#libs/http/answer.js';
import { Route, type RouteHandler } from '#libs/http/declared-route.js';
import { declareRoute } from '#libs/http/route-declaration.js';
import { yamlDocument } from '#libs/http/yaml-document.js';
import type { ChannelDeclaration } from '#libs/live/channel-declaration.js';
import { DECLARED_CHANNELS } from '../access/api-deps.js';
import { liveDocument } from './live-document.js';

const declaration = declareRoute({
  id: 'getLiveDocument',
  method: 'GET',
  path: '/asyncapi.yaml',
  summary: 'The live interface as a document',
  answer: {
    mediaType: 'application/yaml',
    description: 'AsyncAPI 3, YAML.',
    example: { asyncapi: '3.0.0', info: { title: 'Tidepool live interface', version: '1.0.0' }, channels: {} },
  },
  errors: [],
  access: 'open',
  cost: 'free',
  cache: 'tagged',
});

@Route(declaration)
export class AsyncApiRoute implements RouteHandler {
  private readonly answer: () => Answer;

  constructor(@Inject(DECLARED_CHANNELS) channels: readonly ChannelDeclaration[]) {
    this.answer = yamlDocument(() => liveDocument(channels));
  }

  handle(): Answer {
    return this.answer();
  }
}
