import { Inject } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import { EvmReceiptsAnswer, EvmReceiptsQuery } from '#libs/serve/contract/rest/evm/receipt-body.js';
import { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler, type RouteInput } from '#libs/serve/http/declared-route.js';
import { accountOf } from '../../http/account-of.js';
import { routerBadRequestError } from '../../http/router-errors.js';
import { summaryRow } from '../../receipts/receipt-figures.js';
import type { ReceiptKeeper } from '../../receipts/receipt-keeper.js';
import { ReceiptQueries } from '../../receipts/receipt-queries.js';
import { RECEIPTS } from '../../tokens.js';
import { receiptRow } from './receipt-row.js';

/** Answers from memory. */
@Route({
  id: 'getEvmReceipts',
  method: 'GET',
  path: '/evm/receipts',
  summary: 'What builds of this account promised and what the chain gave, newest first',
  query: EvmReceiptsQuery,
  answer: EvmReceiptsAnswer,
  errors: [routerBadRequestError],
  access: 'keyed',
  cost: 'list',
  cache: 'tagged',
})
export class ReceiptsRoute implements RouteHandler<object, EvmReceiptsQuery> {
  private readonly queries: ReceiptQueries;
  private readonly specOf: ReadonlyMap<string, ChainSpec>;

  constructor(@Inject(RECEIPTS) keeper: Pick<ReceiptKeeper, 'chains' | 'list'>) {
    this.queries = new ReceiptQueries(keeper, 'evm');
    this.specOf = new Map(keeper.chains.map((spec) => [spec.slug, spec]));
  }

  handle({ query }: RouteInput<object, EvmReceiptsQuery>, request: FastifyRequest): Answer {
    const { receipts, next, summary } = this.queries.page(query, accountOf(request));
    const body: EvmReceiptsAnswer = {
      data: receipts.map((receipt) => receiptRow(receipt, this.specOf.get(receipt.chain)!)),
      next,
      summary: summaryRow(summary),
    };
    return Answer.json(body);
  }
}
