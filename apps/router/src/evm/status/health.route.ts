import { Inject } from '@nestjs/common';
import { declareHealth } from '#libs/serve/contract/common-routes.js';
import { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler } from '#libs/serve/http/declared-route.js';
import { VERSION } from '../../tokens.js';

const declaration = declareHealth('getEvmHealth', '/evm/health');

@Route(declaration)
export class EvmHealthRoute implements RouteHandler {
  private readonly answer: Answer;

  constructor(@Inject(VERSION) version: string) {
    this.answer = Answer.json({ status: 'ok', version });
  }

  handle(): Answer {
    return this.answer;
  }
}
