import { Inject } from '@nestjs/common';
import type { ChannelDeclaration } from '#libs/serve/contract/channel-declaration.js';
import { openRoute } from '#libs/serve/contract/common-routes.js';
import type { RouteDeclaration } from '#libs/serve/contract/route-declaration.js';
import { Answer, etagOf } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler } from '#libs/serve/http/declared-route.js';
import { DECLARED_CHANNELS, DECLARED_ROUTES } from '../access/api-parts.js';
import { llmsText } from './llms-text.js';

@Route({
  ...openRoute,
  id: 'getLlmsText',
  path: '/llms.txt',
  summary: 'A short description for language models',
  answer: {
    mediaType: 'text/plain',
    description: 'Markdown.',
    example: '# Tidepool\n\nMarket data of EVM chains and Solana.',
  },
})
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
