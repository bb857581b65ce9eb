import { Inject } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ACCOUNTS } from '#libs/app/modules/tokens.js';
import type { Accounts } from '#libs/serve/accounts/account.js';
import { creditsLeft } from '#libs/serve/accounts/spending.js';
import { AccountUsageAnswer, AccountUsageQuery } from '#libs/serve/contract/rest/account-body.js';
import { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler, type RouteInput } from '#libs/serve/http/declared-route.js';
import { passOf } from '#libs/serve/http/pass.js';
import { notFound } from '#libs/serve/http/problem.js';

const DAY_MS = 86_400_000;

@Route({
  id: 'getAccountUsage',
  method: 'GET',
  path: '/account/usage',
  summary: 'What the account of the key did and spent, and what it has left',
  query: AccountUsageQuery,
  answer: AccountUsageAnswer,
  errors: [
    {
      status: 404,
      code: 'not_found',
      meaning: 'this instance asks for no keys and counts nothing.',
      example: 'this instance has no accounts',
    },
  ],
  access: 'keyed',
  cost: 'free',
  cache: 'no-store',
})
export class UsageRoute implements RouteHandler<object, AccountUsageQuery> {
  constructor(@Inject(ACCOUNTS) private readonly accounts: Accounts | null) {}

  handle({ query }: RouteInput<object, AccountUsageQuery>, request: FastifyRequest): Answer {
    const { accounts } = this;
    const pass = passOf(request.raw);
    if (accounts === null || pass === null) throw notFound('this instance has no accounts');
    const { account } = pass.caller;
    const spent = accounts.totals(account.id);
    const now = new Date();
    const since = new Date(now.getTime() - (query.days - 1) * DAY_MS).toISOString().slice(0, 10);
    const data: AccountUsageAnswer['data'] = {
      ...{ account: account.id, name: account.name, plan: account.plan },
      ratePerSecond: account.rate === 0 ? null : account.rate,
      credits: {
        remaining: creditsLeft(account, spent),
        includedPerMonth: account.credits,
        includedSpent: spent.included,
        ...{ granted: account.granted, grantedSpent: spent.extra },
        renewsAt: Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1),
      },
      usage: accounts.usage(account.id, since),
      prices: accounts.prices,
    };
    return Answer.untagged({ data });
  }
}
