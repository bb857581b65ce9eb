import type { FastifyRequest } from 'fastify';
import type { MadeKey } from '#libs/serve/accounts/account-book.js';
import {
  AdminKeyAnswer,
  AdminKeyPath,
  AdminKeysAnswer,
  AdminKeysQuery,
  AdminMadeKeyAnswer,
  AdminNewKey,
  AdminRotation,
} from '#libs/serve/contract/rest/admin-body.js';
import { declareRoute } from '#libs/serve/contract/route-declaration.js';
import { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler, type RouteInput } from '#libs/serve/http/declared-route.js';
import { AdminAccounts, shownKey } from './admin-accounts.js';
import { logAway, notThere, taken, wrongField } from './admin-errors.js';
import { BodyFields } from './body-fields.js';

const admin = { access: 'keyed', cost: 'free', cache: 'no-store' } as const;
const HOUR_MS = 3_600_000;
const shownOnce = ({ key, record }: MadeKey) => Answer.untagged({ data: { ...shownKey(record), key } });

const list = declareRoute({
  ...{ ...admin, id: 'listKeys', method: 'GET', path: '/keys', query: AdminKeysQuery },
  ...{ summary: 'Keys of all accounts, or of one', answer: AdminKeysAnswer, errors: [wrongField, notThere, logAway] },
});

@Route(list)
export class ListKeysRoute implements RouteHandler<object, AdminKeysQuery> {
  constructor(private readonly accounts: AdminAccounts) {}

  async handle({ query }: RouteInput<object, AdminKeysQuery>): Promise<Answer> {
    const data = await this.accounts.look((book) => book.keys(query.account ?? null).map(shownKey));
    return Answer.untagged({ data });
  }
}

const create = declareRoute({
  ...{ ...admin, id: 'createKey', method: 'POST', path: '/keys' },
  summary: 'Make a key; the answer is the only place that shows it',
  ...{ body: [AdminNewKey], readsItself: true, answer: AdminMadeKeyAnswer, errors: [wrongField, notThere, logAway] },
});

@Route(create)
export class CreateKeyRoute implements RouteHandler {
  constructor(private readonly accounts: AdminAccounts) {}

  async handle(_: unknown, request: FastifyRequest): Promise<Answer> {
    const fields = new BodyFields(request);
    const account = fields.text('account');
    const name = fields.optionalText('name');
    const scopes = fields.texts('scopes', 10);
    const origins = fields.texts('origins', 50);
    const days = fields.optionalWhole('days', 1, 36_500);
    fields.end();
    const expiresAt = days === undefined ? null : Date.now() + days * 24 * HOUR_MS;
    return shownOnce(
      await this.accounts.change((book) => book.createKey(account, { name, scopes, origins, expiresAt })),
    );
  }
}

const rotate = declareRoute({
  ...{ ...admin, id: 'rotateKey', method: 'POST', path: '/keys/:id/rotate', parameters: AdminKeyPath },
  summary: 'A new key with what the old one was for',
  description: 'The old one is accepted until the grace is over. The answer is the only place that shows the new one.',
  ...{ body: [AdminRotation], readsItself: true, answer: AdminMadeKeyAnswer },
  errors: [wrongField, notThere, taken, logAway],
});

@Route(rotate)
export class RotateKeyRoute implements RouteHandler<AdminKeyPath> {
  constructor(private readonly accounts: AdminAccounts) {}

  async handle({ path }: RouteInput<AdminKeyPath, object>, request: FastifyRequest): Promise<Answer> {
    const fields = new BodyFields(request, true);
    const grace = fields.optionalWhole('graceHours', 0, 8_760) ?? 24;
    fields.end();
    return shownOnce(await this.accounts.change((book) => book.rotateKey(path.id, grace * HOUR_MS)));
  }
}

const revoke = declareRoute({
  ...{ ...admin, id: 'revokeKey', method: 'POST', path: '/keys/:id/revoke', parameters: AdminKeyPath },
  summary: 'Refuse a key from now on, and end the streams that it opened',
  ...{ answer: AdminKeyAnswer, errors: [wrongField, notThere, taken, logAway] },
});

@Route(revoke)
export class RevokeKeyRoute implements RouteHandler<AdminKeyPath> {
  constructor(private readonly accounts: AdminAccounts) {}

  async handle({ path }: RouteInput<AdminKeyPath, object>): Promise<Answer> {
    return Answer.untagged({ data: shownKey(await this.accounts.change((book) => book.revokeKey(path.id))) });
  }
}
