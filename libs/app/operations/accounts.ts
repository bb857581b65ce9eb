import { TidepoolError } from '#libs/core/errors.js';
import type { Operations } from '#libs/platform/admin-protocol.js';
import type { KeyRecord } from '#libs/protocol/accounts/account-record.js';
import { AccountBook } from '#libs/serve/accounts/account-book.js';
import { keyIdOf } from '#libs/serve/accounts/key-text.js';
import type { OperationDeps } from './operation-deps.js';
import { wholeNumber } from './whole-number.js';

const HOUR_MS = 3_600_000;

/** `accounts …`, `plans …` and `keys …`: each a change of the topic that every app follows. */
export function accountOperations({ log, accountsChanged }: OperationDeps): Operations {
  const changing = async <T>(change: (book: AccountBook) => Promise<T>): Promise<T> => {
    const answer = await change(await AccountBook.open(log));
    await accountsChanged?.();
    return answer;
  };
  return {
    'accounts.ls': async () => ({ accounts: (await AccountBook.open(log)).accounts() }),
    'accounts.show': async ({ id }) => {
      const book = await AccountBook.open(log);
      const standing = book.summaryOf(text(id, 'ID'));
      const keys = book.keys(standing.entry.id).map(shownKey);
      return { ...standing, keys, grants: book.grants(standing.entry.id) };
    },
    'accounts.create': (args) =>
      changing((book) => {
        const id = text(args.id, 'ID');
        return book.createAccount(id, optional(args.name) ?? id, optional(args.plan), wholeOr(args.rate, '--rate'));
      }),
    'accounts.plan': ({ id, plan, rate }) =>
      changing((book) =>
        book.changeAccount(text(id, 'ID'), {
          ...(plan === undefined ? {} : { plan: plan === 'none' ? null : text(plan, 'PLAN') }),
          ...(rate === undefined ? {} : { rate: rate === 'plan' ? null : wholeNumber(rate, '--rate') }),
        }),
      ),
    'accounts.close': ({ id }) => changing((book) => book.changeAccount(text(id, 'ID'), { closed: true })),
    'accounts.open': ({ id }) => changing((book) => book.changeAccount(text(id, 'ID'), { closed: false })),
    'accounts.grant': ({ id, credits, reason }) =>
      changing(async (book) => {
        const account = text(id, 'ID');
        const grant = await book.grant(account, wholeNumber(credits, 'CREDITS'), optional(reason) ?? '');
        return { grant, creditsLeft: book.summaryOf(account).creditsLeft };
      }),
    'accounts.usage': async ({ id, days }) => {
      const book = await AccountBook.open(log);
      const account = text(id, 'ID');
      return { ...book.summaryOf(account), rows: book.usage(account, wholeOr(days, '--days') ?? 30) };
    },
    'plans.ls': async () => ({ plans: (await AccountBook.open(log)).plans() }),
    'plans.set': ({ name, rate, credits }) =>
      changing((book) => {
        const included = credits === undefined || credits === 'unlimited' ? null : wholeNumber(credits, '--credits');
        return book.setPlan(text(name, 'NAME'), wholeNumber(rate, '--rate'), included);
      }),
    'keys.ls': async ({ account }) => ({ keys: (await AccountBook.open(log)).keys(optional(account)).map(shownKey) }),
    'keys.create': ({ account, name, scopes, origins, days }) =>
      changing(async (book) => {
        const lasts = wholeOr(days, '--days');
        const { key, record } = await book.createKey(text(account, 'ACCOUNT'), {
          ...{ name: optional(name) ?? '', scopes: list(scopes), origins: list(origins) },
          expiresAt: lasts === null ? null : Date.now() + lasts * 24 * HOUR_MS,
        });
        return { key, ...shownKey(record) };
      }),
    'keys.rotate': ({ id, hours }) =>
      changing(async (book) => {
        const grace = (wholeOr(hours, '--grace') ?? 24) * HOUR_MS;
        const { key, record, old } = await book.rotateKey(text(id, 'KEY'), grace);
        return { key, ...shownKey(record), old: shownKey(old) };
      }),
    'keys.revoke': ({ id }) => changing(async (book) => shownKey(await book.revokeKey(text(id, 'KEY')))),
  };
}

const shownKey = ({ hash, kind, ...rest }: KeyRecord) => ({ id: keyIdOf(hash), ...rest });

function text(value: unknown, name: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new TidepoolError('usage', `${name} is missing`);
}

const optional = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

const wholeOr = (value: unknown, option: string): number | null =>
  value === undefined || value === null ? null : wholeNumber(value, option);

const list = (value: unknown): string[] | undefined =>
  typeof value === 'string' ? value.split(',').map((item) => item.trim()) : undefined;
