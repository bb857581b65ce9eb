import { Inject } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { buildRoute } from '#libs/serve/contract/common-routes.js';
import {
  SolTransaction,
  SolTransactionRequest,
  SolTransactionsAnswer,
  SolTransactionsRequest,
} from '#libs/serve/contract/rest/solana/transaction-body.js';
import type { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler } from '#libs/serve/http/declared-route.js';
import { isJsonObject, jsonObjectBody } from '#libs/serve/http/json-body.js';
import { badRequest } from '#libs/serve/http/problem.js';
import type { RequestDeadline } from '../../http/request-deadline.js';
import { uncachedJson } from '../../http/uncached-json.js';
import { REQUEST_DEADLINE } from '../../tokens.js';
import { transactionErrors } from '../solana-errors.js';
import { readTransaction } from './read-transaction.js';
import { TransactionService } from './transaction-service.js';

const MOST = 20;

@Route({
  ...buildRoute,
  id: 'serializeTransaction',
  path: '/transaction',
  summary: 'Serialize instructions into an unsigned v1 transaction',
  description:
    'At most 4,096 bytes, 64 account keys, 64 instructions and 12 signatures; no look-up tables and no compute-budget instructions: limits and fee are in its header. Neither simulated nor sent; it works while the swap program is paused.',
  body: [SolTransactionRequest],
  answer: SolTransaction,
  errors: transactionErrors,
})
export class TransactionRoute implements RouteHandler {
  constructor(
    private readonly transactions: TransactionService,
    @Inject(REQUEST_DEADLINE) private readonly deadline: RequestDeadline,
  ) {}

  async handle(_input: unknown, request: FastifyRequest): Promise<Answer> {
    const asked = readTransaction(jsonObjectBody(request));
    const work = (signal: AbortSignal) => this.transactions.serialize([asked], signal, ['']);
    const [text] = await this.deadline.abortAfter(work);
    return uncachedJson(text!);
  }
}

@Route({
  ...buildRoute,
  id: 'serializeTransactions',
  path: '/transactions',
  summary: 'Serialize several transactions',
  description: `1 to ${MOST} of them, each as POST /transaction takes it; a message names the one that it is about.`,
  body: [SolTransactionsRequest],
  answer: SolTransactionsAnswer,
  errors: transactionErrors,
})
export class TransactionsRoute implements RouteHandler {
  constructor(
    private readonly transactions: TransactionService,
    @Inject(REQUEST_DEADLINE) private readonly deadline: RequestDeadline,
  ) {}

  async handle(_input: unknown, request: FastifyRequest): Promise<Answer> {
    const { transactions } = jsonObjectBody(request);
    if (!Array.isArray(transactions) || transactions.length === 0 || transactions.length > MOST) {
      const given = Array.isArray(transactions) ? `; this one has ${transactions.length}` : '';
      throw badRequest(`transactions must be a list of 1 to ${MOST} transactions${given}`);
    }
    const paths = transactions.map((_, n) => `transactions[${n}].`);
    const asked = transactions.map((item, n) => {
      if (!isJsonObject(item)) throw badRequest(`transactions[${n}] must be an object with payer and instructions`);
      return readTransaction(item, paths[n]!);
    });
    const work = (signal: AbortSignal) => this.transactions.serialize(asked, signal, paths);
    const texts = await this.deadline.abortAfter(work);
    return uncachedJson(`{"transactions":[${texts.join(',')}]}`);
  }
}
