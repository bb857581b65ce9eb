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
import { shownKey } from './admin-accounts.js';
import { logAway, notThere, taken, wrongField } from './admin-errors.js';
import { type AdminRoute, adminRoute, fieldsOf } from './admin-route.js';

const HOUR_MS = 3_600_000;
const shownOnce = ({ key, record }: MadeKey) => ({ ...shownKey(record), key });

export const keyRoutes: readonly AdminRoute[] = [
  adminRoute(
    {
      ...{ id: 'listKeys', method: 'GET', path: '/keys', summary: 'Keys of all accounts, or of one' },
      ...{ query: AdminKeysQuery, answer: AdminKeysAnswer, errors: [wrongField, notThere, logAway] },
    },
    (accounts, { query }) => accounts.look((book) => book.keys(query.account ?? null).map(shownKey)),
  ),
  adminRoute(
    {
      ...{ id: 'createKey', method: 'POST', path: '/keys' },
      summary: 'Make a key; the answer is the only place that shows it',
      ...{ body: [AdminNewKey], answer: AdminMadeKeyAnswer, errors: [wrongField, notThere, logAway] },
    },
    async (accounts, _, request) => {
      const { account, days, ...asked } = fieldsOf(request, (fields) => ({
        account: fields.text('account'),
        name: fields.optionalText('name'),
        scopes: fields.texts('scopes', 10),
        origins: fields.texts('origins', 50),
        days: fields.optionalWhole('days', 1, 36_500),
      }));
      const expiresAt = days === undefined ? null : Date.now() + days * 24 * HOUR_MS;
      return shownOnce(await accounts.change((book) => book.createKey(account, { ...asked, expiresAt })));
    },
  ),
  adminRoute(
    {
      ...{ id: 'rotateKey', method: 'POST', path: '/keys/:id/rotate', parameters: AdminKeyPath },
      summary: 'A new key with what the old one was for',
      description:
        'The old one is accepted until the grace is over. The answer is the only place that shows the new one.',
      ...{ body: [AdminRotation], answer: AdminMadeKeyAnswer, errors: [wrongField, notThere, taken, logAway] },
    },
    async (accounts, { path }, request) => {
      const grace = fieldsOf(request, (fields) => fields.optionalWhole('graceHours', 0, 8_760) ?? 24, true);
      return shownOnce(await accounts.change((book) => book.rotateKey(path.id, grace * HOUR_MS)));
    },
  ),
  adminRoute(
    {
      ...{ id: 'revokeKey', method: 'POST', path: '/keys/:id/revoke', parameters: AdminKeyPath },
      summary: 'Refuse a key from now on, and end the streams that it opened',
      ...{ answer: AdminKeyAnswer, errors: [wrongField, notThere, taken, logAway] },
    },
    async (accounts, { path }) => shownKey(await accounts.change((book) => book.revokeKey(path.id))),
  ),
];
