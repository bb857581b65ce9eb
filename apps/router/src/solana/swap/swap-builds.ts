import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Answer } from '#libs/serve/http/answer.js';
import { jsonObjectBody } from '#libs/serve/http/json-body.js';
import { QUOTE_ID } from '../../held/held-quotes.js';
import { accountOf } from '../../http/account-of.js';
import type { RequestDeadline } from '../../http/request-deadline.js';
import { uncachedJson } from '../../http/uncached-json.js';
import type { BuiltQuote } from '../model/built-swap.js';
import { withQuoteId } from '../solana-errors.js';
import type { SolanaSwapService } from './solana-swap-service.js';
import { readSwapRequest } from './swap-request.js';

/**
 * Answers builds for both routes: it cuts them at the time limit, and every refusal after the reading carries the id of a
 * quote.
 */
export class SolanaSwapBuilds {
  constructor(
    private readonly swaps: SolanaSwapService,
    private readonly deadline: RequestDeadline,
  ) {}

  async answer(request: FastifyRequest, write: (built: BuiltQuote) => string): Promise<Answer> {
    const startedAt = performance.now();
    const asked = readSwapRequest(jsonObjectBody(request));
    const named = asked.quoteId !== null && QUOTE_ID.test(asked.quoteId) ? asked.quoteId : randomUUID();
    try {
      const account = accountOf(request);
      const built = await this.deadline.abortAfter((signal) => this.swaps.build(asked, account, startedAt, signal));
      return uncachedJson(write(built));
    } catch (error) {
      throw withQuoteId(error, named);
    }
  }
}
