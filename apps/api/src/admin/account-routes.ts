import type { FastifyRequest } from 'fastify';
import {
  AdminAccountAnswer,
  AdminAccountChange,
  AdminAccountPath,
  AdminAccountsAnswer,
  AdminGrantAnswer,
  AdminGrantsAnswer,
  AdminNewAccount,
  AdminNewGrant,
  AdminUsageAnswer,
  AdminUsageQuery,
} from '#libs/serve/contract/rest/admin-body.js';
import { declareRoute } from '#libs/serve/contract/route-declaration.js';
import { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler, type RouteInput } from '#libs/serve/http/declared-route.js';
import { AdminAccounts, shownAccount } from './admin-accounts.js';
import { logAway, notThere, taken, wrongField } from './admin-errors.js';
import { BodyFields } from './body-fields.js';

const admin = { access: 'keyed', cost: 'free', cache: 'no-store' } as const;
const MOST_RATE = 1_000_000;
type OfAccount<Query extends object = object> = RouteInput<AdminAccountPath, Query>;

const list = declareRoute({
  ...{ ...admin, id: 'listAccounts', method: 'GET', path: '/accounts' },
  ...{ summary: 'All accounts, with what they have left', answer: AdminAccountsAnswer, errors: [logAway] },
});

@Route(list)
export class ListAccountsRoute implements RouteHandler {
  constructor(private readonly accounts: AdminAccounts) {}

  async handle(): Promise<Answer> {
    const data = await this.accounts.look((book) => book.accounts().map(({ entry }) => shownAccount(book, entry.id)));
    return Answer.untagged({ data });
  }
}

const create = declareRoute({
  ...{ ...admin, id: 'createAccount', method: 'POST', path: '/accounts' },
  ...{ summary: 'Make an account', body: [AdminNewAccount], readsItself: true, answer: AdminAccountAnswer },
  errors: [wrongField, taken, logAway],
});

@Route(create)
export class CreateAccountRoute implements RouteHandler {
  constructor(private readonly accounts: AdminAccounts) {}

  async handle(_: unknown, request: FastifyRequest): Promise<Answer> {
    const fields = new BodyFields(request);
    const id = fields.text('id');
    const name = fields.optionalText('name') ?? id;
    const plan = fields.textOrNull('plan') ?? null;
    const rate = fields.wholeOrNull('rate', 0, MOST_RATE) ?? null;
    fields.end();
    const data = await this.accounts.change(async (book) => {
      await book.createAccount(id, name, plan, rate);
      return shownAccount(book, id);
    });
    return Answer.untagged({ data });
  }
}

const show = declareRoute({
  ...{ ...admin, id: 'getAccount', method: 'GET', path: '/accounts/:id', parameters: AdminAccountPath },
  ...{ summary: 'One account', answer: AdminAccountAnswer, errors: [wrongField, notThere, logAway] },
});

@Route(show)
export class ShowAccountRoute implements RouteHandler<AdminAccountPath> {
  constructor(private readonly accounts: AdminAccounts) {}

  async handle({ path }: OfAccount): Promise<Answer> {
    return Answer.untagged({ data: await this.accounts.look((book) => shownAccount(book, path.id)) });
  }
}

const change = declareRoute({
  ...{ ...admin, id: 'changeAccount', method: 'POST', path: '/accounts/:id', parameters: AdminAccountPath },
  summary: 'Change an account, at once everywhere',
  description: 'What the body does not name stays as it is.',
  ...{ body: [AdminAccountChange], readsItself: true, answer: AdminAccountAnswer },
  errors: [wrongField, notThere, logAway],
});

@Route(change)
export class ChangeAccountRoute implements RouteHandler<AdminAccountPath> {
  constructor(private readonly accounts: AdminAccounts) {}

  async handle({ path }: OfAccount, request: FastifyRequest): Promise<Answer> {
    const fields = new BodyFields(request);
    const name = fields.optionalText('name');
    const plan = fields.textOrNull('plan');
    const rate = fields.wholeOrNull('rate', 0, MOST_RATE);
    const closed = fields.flag('closed');
    fields.end();
    const data = await this.accounts.change(async (book) => {
      const given = Object.entries({ name, plan, rate, closed }).filter(([, value]) => value !== undefined);
      await book.changeAccount(path.id, Object.fromEntries(given));
      return shownAccount(book, path.id);
    });
    return Answer.untagged({ data });
  }
}

const grants = declareRoute({
  ...{ ...admin, id: 'listGrants', method: 'GET', path: '/accounts/:id/grants', parameters: AdminAccountPath },
  ...{ summary: 'Credits that were added', answer: AdminGrantsAnswer, errors: [wrongField, notThere, logAway] },
});

@Route(grants)
export class ListGrantsRoute implements RouteHandler<AdminAccountPath> {
  constructor(private readonly accounts: AdminAccounts) {}

  async handle({ path }: OfAccount): Promise<Answer> {
    const data = await this.accounts.look((book) => book.grants(path.id).map(({ kind: _, ...grant }) => grant));
    return Answer.untagged({ data });
  }
}

const grant = declareRoute({
  ...{ ...admin, id: 'grantCredits', method: 'POST', path: '/accounts/:id/grants', parameters: AdminAccountPath },
  summary: 'Add credits, at once everywhere',
  description: 'They do not end with a month. With an `id` of your own the same request can be sent again.',
  ...{ body: [AdminNewGrant], readsItself: true, answer: AdminGrantAnswer },
  errors: [wrongField, notThere, taken, logAway],
});

@Route(grant)
export class GrantRoute implements RouteHandler<AdminAccountPath> {
  constructor(private readonly accounts: AdminAccounts) {}

  async handle({ path }: OfAccount, request: FastifyRequest): Promise<Answer> {
    const fields = new BodyFields(request);
    const credits = fields.whole('credits', 1, Number.MAX_SAFE_INTEGER);
    const reason = fields.optionalText('reason') ?? '';
    const id = fields.optionalText('id');
    fields.end();
    const { kind: _, ...data } = await this.accounts.change((book) => book.grant(path.id, credits, reason, id));
    return Answer.untagged({ data });
  }
}

const usage = declareRoute({
  ...{ ...admin, id: 'getUsage', method: 'GET', path: '/accounts/:id/usage', parameters: AdminAccountPath },
  ...{ summary: 'What an account did and spent', query: AdminUsageQuery, answer: AdminUsageAnswer },
  errors: [wrongField, notThere, logAway],
});

@Route(usage)
export class AdminUsageRoute implements RouteHandler<AdminAccountPath, AdminUsageQuery> {
  constructor(private readonly accounts: AdminAccounts) {}

  async handle({ path, query }: OfAccount<AdminUsageQuery>): Promise<Answer> {
    return Answer.untagged({ data: await this.accounts.look((book) => book.usage(path.id, query.days)) });
  }
}
