import { Inject } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { SolReceiptsAnswer, SolReceiptsQuery } from '#libs/serve/contract/rest/solana/receipt-body.js';
import { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler, type RouteInput } from '#libs/serve/http/declared-route.js';
import { accountOf } from '../../http/account-of.js';
import { summaryRow } from '../../receipts/receipt-figures.js';
import type { ReceiptKeeper } from '../../receipts/receipt-keeper.js';
import { ReceiptQueries } from '../../receipts/receipt-queries.js';
import { RECEIPTS, SOLANA_CHAIN } from '../../tokens.js';
import type { SolanaChain } from '../ports.js';
import { receiptErrors } from '../solana-errors.js';
import { receiptRow } from './receipt-row.js';

/** Answers from memory. */
@Route({
  id: 'getSolReceipts',
  method: 'GET',
  path: '/receipts',
  summary: 'What builds of this account on Solana promised and what the chain gave, newest first',
  query: SolReceiptsQuery,
  answer: SolReceiptsAnswer,
  errors: receiptErrors,
  access: 'keyed',
  cost: 'list',
  cache: 'tagged',
})
export class SolanaReceiptsRoute implements RouteHandler<object, SolReceiptsQuery> {
  private readonly queries: ReceiptQueries;

  constructor(
    @Inject(RECEIPTS) keeper: Pick<ReceiptKeeper, 'chains' | 'list'>,
    @Inject(SOLANA_CHAIN) private readonly chain: Pick<SolanaChain, 'spec'>,
  ) {
    this.queries = new ReceiptQueries(keeper, 'solana');
  }

  handle({ query }: RouteInput<object, SolReceiptsQuery>, request: FastifyRequest): Answer {
    const { wallet, state, limit, cursor } = query;
    const { receipts, next, summary } = this.queries.page({ wallet, state, limit, cursor }, accountOf(request));
    const body: SolReceiptsAnswer = {
      data: receipts.map((receipt) => receiptRow(receipt, this.chain.spec)),
      next,
      summary: summaryRow(summary),
    };
    return Answer.json(body);
  }
}
