import type { FastifyRequest } from 'fastify';
import { AdminPlan, AdminPlanAnswer, AdminPlansAnswer } from '#libs/serve/contract/rest/admin-body.js';
import { declareRoute } from '#libs/serve/contract/route-declaration.js';
import { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler } from '#libs/serve/http/declared-route.js';
import { AdminAccounts } from './admin-accounts.js';
import { logAway, wrongField } from './admin-errors.js';
import { BodyFields } from './body-fields.js';

const admin = { access: 'keyed', cost: 'free', cache: 'no-store' } as const;

const list = declareRoute({
  ...{ ...admin, id: 'listPlans', method: 'GET', path: '/plans' },
  ...{ summary: 'All plans', answer: AdminPlansAnswer, errors: [logAway] },
});

@Route(list)
export class ListPlansRoute implements RouteHandler {
  constructor(private readonly accounts: AdminAccounts) {}

  async handle(): Promise<Answer> {
    const data = await this.accounts.look((book) => book.plans().map(({ kind: _, ...plan }) => plan));
    return Answer.untagged({ data });
  }
}

const set = declareRoute({
  ...{ ...admin, id: 'setPlan', method: 'POST', path: '/plans' },
  summary: 'Make a plan, or change one at once for all its accounts',
  ...{ body: [AdminPlan], readsItself: true, answer: AdminPlanAnswer, errors: [wrongField, logAway] },
});

@Route(set)
export class SetPlanRoute implements RouteHandler {
  constructor(private readonly accounts: AdminAccounts) {}

  async handle(_: unknown, request: FastifyRequest): Promise<Answer> {
    const fields = new BodyFields(request);
    const name = fields.text('name');
    const rate = fields.whole('rate', 0, 1_000_000);
    const credits = fields.wholeOrNull('credits', 0, Number.MAX_SAFE_INTEGER) ?? null;
    fields.end();
    const { kind, ...data } = await this.accounts.change((book) => book.setPlan(name, rate, credits));
    return Answer.untagged({ data });
  }
}
