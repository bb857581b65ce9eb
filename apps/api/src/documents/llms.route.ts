import { Inject } from '@nestjs/common';
import { Answer, etagOf } from '#libs/http/answer.js';
import { Route, type RouteHandler } from '#libs/http/declared-route.js';
import { declareRoute, type RouteDeclaration } from '#libs/http/route-declaration.js';
import type { ChannelDeclaration } from '#libs/live/channel-declaration.js';
import { DECLARED_CHANNELS, DECLARED_ROUTES } from '../access/api-deps.js';
import { llmsText } from './llms-text.js';

const declaration = declareRoute({
  id: 'getLlmsText',
  method: 'GET',
  path: '/llms.txt',
  summary: 'A short description for language models',
  answer: {
    mediaType: 'text/plain',
    description: 'Markdown.',
    example: '# Tidepool\n\nMarket data of EVM chains and Solana.',
  },
  errors: [],
  access: 'open',
  cost: 'free',
  cache: 'tagged',
});

@Route(declaration)
export class LlmsRoute implements RouteHandler {
  private readonly answer: Answer;

  constructor(
    @Inject(DECLARED_ROUTES) routes: readonly RouteDeclaration[],
    @Inject(DECLARED_CHANNELS) channels: readonly ChannelDeclaration[],
  ) {
    const text = Buffer.from(llmsText(routes, channels), 'utf8');
    this.answer = new Answer(text, 'text/plain; charset=utf-8', etagOf(text));
  }

  handle(): Answer {
    return this.answer;
  }
}
