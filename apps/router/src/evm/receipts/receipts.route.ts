import { Inject } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Answer } from '#libs/http/answer.js';
import { Route, type RouteHandler, type RouteInput } from '#libs/http/declared-route.js';
import { passOf } from '#libs/http/pass.js';
import { declareRoute } from '#libs/http/route-declaration.js';
import type { ChainSpec } from '#libs/market-ports/chain-spec.js';
import { EvmReceiptsAnswer, EvmReceiptsQuery } from '#libs/protocol/rest/evm/receipt-body.js';
import { badRequest } from '../../http/router-errors.js';
import type { ReceiptKeeper } from '../../receipts/receipt-keeper.js';
import { RECEIPTS } from '../../tokens.js';
import { cursorOf, ReceiptQueries } from './receipt-queries.js';
import { receiptRow, summaryRow } from './receipt-row.js';

const declaration = declareRoute({
  id: 'getEvmReceipts',
  method: 'GET',
  path: '/evm/receipts',
  summary: 'What builds of this account promised and what the chain gave, newest first',
  query: EvmReceiptsQuery,
  answer: EvmReceiptsAnswer,
  errors: [badRequest],
  access: 'keyed',
  cost: 'list',
  cache: 'tagged',
});

/** From memory. */
@Route(declaration)
export class ReceiptsRoute implements RouteHandler<object, EvmReceiptsQuery> {
  private readonly queries: ReceiptQueries;
  private readonly specOf: ReadonlyMap<string, ChainSpec>;

  constructor(@Inject(RECEIPTS) private readonly keeper: Pick<ReceiptKeeper, 'chains' | 'list'>) {
    this.queries = new ReceiptQueries(keeper.chains);
    this.specOf = new Map(keeper.chains.map((spec) => [spec.slug, spec]));
  }

  handle({ query }: RouteInput<object, EvmReceiptsQuery>, request: FastifyRequest): Answer {
    const { filter, after } = this.queries.read(query);
    const account = passOf(request.raw)?.caller.account.id ?? null;
    const { receipts, next, summary } = this.keeper.list({ ...filter, account }, query.limit, after);
    const body: EvmReceiptsAnswer = {
      data: receipts.map((receipt) => receiptRow(receipt, this.specOf.get(receipt.chain)!)),
      next: next === null ? null : cursorOf(next, filter),
      summary: summaryRow(summary),
    };
    return Answer.json(body);
  }
}
