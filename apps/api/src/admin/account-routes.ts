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
import { shownAccount } from './admin-accounts.js';
import { logAway, notThere, taken, wrongField } from './admin-errors.js';
import { type AdminRoute, adminRoute, fieldsOf } from './admin-route.js';

const MOST_RATE = 1_000_000;
const ofAccount = { path: '/accounts/:id', parameters: AdminAccountPath } as const;

export const accountRoutes: readonly AdminRoute[] = [
  adminRoute(
    {
      ...{ id: 'listAccounts', method: 'GET', path: '/accounts', summary: 'All accounts, with what they have left' },
      ...{ answer: AdminAccountsAnswer, errors: [logAway] },
    },
    (accounts) => accounts.look((book) => book.accounts().map(({ entry }) => shownAccount(book, entry.id))),
  ),
  adminRoute(
    {
      ...{ id: 'createAccount', method: 'POST', path: '/accounts', summary: 'Make an account' },
      ...{ body: [AdminNewAccount], answer: AdminAccountAnswer, errors: [wrongField, taken, logAway] },
    },
    (accounts, _, request) => {
      const { id, name, plan, rate } = fieldsOf(request, (fields) => ({
        id: fields.text('id'),
        name: fields.optionalText('name'),
        plan: fields.textOrNull('plan') ?? null,
        rate: fields.wholeOrNull('rate', 0, MOST_RATE) ?? null,
      }));
      return accounts.change(async (book) => {
        await book.createAccount(id, name ?? id, plan, rate);
        return shownAccount(book, id);
      });
    },
  ),
  adminRoute(
    {
      ...{ ...ofAccount, id: 'getAccount', method: 'GET', summary: 'One account' },
      ...{ answer: AdminAccountAnswer, errors: [wrongField, notThere, logAway] },
    },
    (accounts, { path }) => accounts.look((book) => shownAccount(book, path.id)),
  ),
  adminRoute(
    {
      ...{ ...ofAccount, id: 'changeAccount', method: 'POST', summary: 'Change an account, at once everywhere' },
      description: 'What the body does not name stays as it is.',
      ...{ body: [AdminAccountChange], answer: AdminAccountAnswer, errors: [wrongField, notThere, logAway] },
    },
    (accounts, { path }, request) => {
      const asked = fieldsOf(request, (fields) => ({
        name: fields.optionalText('name'),
        plan: fields.textOrNull('plan'),
        rate: fields.wholeOrNull('rate', 0, MOST_RATE),
        closed: fields.flag('closed'),
      }));
      const given = Object.entries(asked).filter(([, value]) => value !== undefined);
      return accounts.change(async (book) => {
        await book.changeAccount(path.id, Object.fromEntries(given));
        return shownAccount(book, path.id);
      });
    },
  ),
  adminRoute(
    {
      ...{ ...ofAccount, id: 'listGrants', method: 'GET', path: '/accounts/:id/grants', answer: AdminGrantsAnswer },
      ...{ summary: 'Credits that were added', errors: [wrongField, notThere, logAway] },
    },
    (accounts, { path }) => accounts.look((book) => book.grants(path.id).map(({ kind: _, ...grant }) => grant)),
  ),
  adminRoute(
    {
      ...{ ...ofAccount, id: 'grantCredits', method: 'POST', path: '/accounts/:id/grants' },
      summary: 'Add credits, at once everywhere',
      description: 'They do not end with a month. With an `id` of your own the same request can be sent again.',
      ...{ body: [AdminNewGrant], answer: AdminGrantAnswer, errors: [wrongField, notThere, taken, logAway] },
    },
    async (accounts, { path }, request) => {
      const { credits, reason, id } = fieldsOf(request, (fields) => ({
        credits: fields.whole('credits', 1, Number.MAX_SAFE_INTEGER),
        reason: fields.optionalText('reason') ?? '',
        id: fields.optionalText('id'),
      }));
      const { kind: _, ...grant } = await accounts.change((book) => book.grant(path.id, credits, reason, id));
      return grant;
    },
  ),
  adminRoute(
    {
      ...{ ...ofAccount, id: 'getUsage', method: 'GET', path: '/accounts/:id/usage', query: AdminUsageQuery },
      summary: 'What an account did and spent',
      ...{ answer: AdminUsageAnswer, errors: [wrongField, notThere, logAway] },
    },
    (accounts, { path, query }) => accounts.look((book) => book.usage(path.id, query.days)),
  ),
];
