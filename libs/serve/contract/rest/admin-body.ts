import { keyScopes } from '#libs/protocol/accounts/account-record.js';
import { extendPayload, optionalField, payload } from '../schema/property.js';
import { AccountUsageRow } from './account-body.js';
import { errorCodes } from './error-body.js';
import { flag, integer, integerOrNull, list, object, optionalText, text, textList, textOrNull } from './field.js';
import { requiredWord, wholeNumber, word } from './query-field.js';

/** Bodies, parameters and answers of the admin API. */
const ACCOUNT = { example: 'acme' } as const;
const KEY_ID = { example: '9f86d081884c7d65' } as const;
const SCOPES = { enum: [...keyScopes], example: ['data', 'router'] } as const;
const RATE = { minimum: 0, maximum: 1_000_000 } as const;

/** Fields of a body that may be left out. */
const maybe = <T>(type: string | readonly string[], description: string, example: unknown, more: object = {}) =>
  optionalField<T>({ type, description, examples: [example], ...more });

class AdminErrorDetail extends payload({
  code: text('Permanent code.', { enum: [...errorCodes, 'conflict'], example: 'bad_request' }),
  message: text('What is wrong and what to change.', { example: 'id is required' }),
}) {}

/** Every error of the admin API, except 405, which has no body. */
export class AdminErrorBody extends payload({
  error: object(() => AdminErrorDetail, 'The error.'),
}) {}

export class AdminAccountPath {
  @requiredWord('id', 'Id of the account.', 40, { examples: ['acme'] })
  id!: string;
}

export class AdminKeyPath {
  @requiredWord('id', 'Id of the key: the first 16 digits of its SHA-256.', 64, { examples: ['9f86d081884c7d65'] })
  id!: string;
}

export class AdminKeysQuery {
  @word('account', 'Keys of this account alone.', 40, { examples: ['acme'] })
  account?: string;
}

export class AdminUsageQuery {
  @wholeNumber('days', 1, 62, 'a whole number from 1 to 62', {
    description: 'Days back, today (UTC) included.',
    default: 30,
    examples: [7],
  })
  days: number = 30;
}

export class AdminNewAccount extends payload({
  id: text('Lower-case letters, digits and `-`, at most 40, a letter or digit first.', ACCOUNT),
  name: optionalText('For people; the id without it.', { maxLength: 200, example: 'Acme' }),
  plan: maybe<string | null>(
    ['string', 'null'],
    'A plan of `GET /plans`; none: 10 requests a second, no credits counted.',
    'Pro',
  ),
  rate: maybe<number | null>(
    ['integer', 'null'],
    'Requests a second in place of the plan’s; 0: no limit; null: the plan’s.',
    null,
    RATE,
  ),
}) {}

export class AdminAccountChange extends payload({
  name: optionalText('For people.', { maxLength: 200, example: 'Acme' }),
  plan: maybe<string | null>(['string', 'null'], 'Another plan, or none.', 'Enterprise'),
  rate: maybe<number | null>(
    ['integer', 'null'],
    'Requests a second in place of the plan’s; 0: no limit; null: the plan’s.',
    50,
    RATE,
  ),
  closed: maybe<boolean>('boolean', 'True: every key of the account is refused until it is open again.', false),
}) {}

export class AdminAccount extends payload({
  id: text('Id.', ACCOUNT),
  name: text('For people.', { example: 'Acme' }),
  plan: textOrNull('Its plan; null without one.', { example: 'Pro' }),
  ownRate: integerOrNull('Requests a second in place of the plan’s; null: the plan’s.', { example: null }),
  rate: integerOrNull('Requests a second that hold; 0: no limit; null while it is closed.', { example: 20 }),
  closed: flag('Every key of it is refused.'),
  createdAt: integer('Unix ms.', { example: 1_730_419_200_000 }),
  creditsRemaining: integerOrNull('What is left of its credits; null where none are counted.', { example: 98_750 }),
  creditsPerMonth: integerOrNull('Credits that its plan includes in each month; null where none are counted.', {
    example: 100_000,
  }),
  includedSpent: integer('Spent of what this month includes.', { example: 1_250 }),
  granted: integer('Credits of all grants.', { example: 0 }),
  grantedSpent: integer('Spent of grants, ever.', { example: 0 }),
}) {}

export class AdminAccountAnswer extends payload({
  data: object(() => AdminAccount, 'The account.'),
}) {}

export class AdminAccountsAnswer extends payload({
  data: list(() => AdminAccount, 'By id.'),
}) {}

export class AdminPlan extends payload({
  name: text('Letters, digits, spaces, `_` and `-`, at most 40, a letter first.', { example: 'Pro' }),
  rate: integer('Requests a second; 0: no limit.', { ...RATE, example: 20 }),
  credits: integerOrNull('Credits included in each calendar month (UTC); null: none are counted.', {
    example: 100_000,
  }),
}) {}

export class AdminPlanAnswer extends payload({
  data: object(() => AdminPlan, 'The plan.'),
}) {}

export class AdminPlansAnswer extends payload({
  data: list(() => AdminPlan, 'All plans.'),
}) {}

export class AdminNewKey extends payload({
  account: text('The account.', ACCOUNT),
  name: optionalText('For people.', { maxLength: 200, example: 'backend' }),
  scopes: maybe<string[]>('array', 'What it is for; everything without it.', ['data', 'router'], {
    items: { type: 'string', enum: [...keyScopes] },
  }),
  origins: maybe<string[]>('array', 'Pages that may use it; from anywhere without it.', ['https://app.example'], {
    items: { type: 'string' },
  }),
  days: maybe<number>('integer', 'Days until it is refused; it has no end without it.', 90, {
    minimum: 1,
    maximum: 36_500,
  }),
}) {}

export class AdminRotation extends payload({
  graceHours: maybe<number>('integer', 'Hours for which the old key is accepted on; 24 without it.', 24, {
    minimum: 0,
    maximum: 8_760,
  }),
}) {}

export class AdminKey extends payload({
  id: text('The first 16 digits of its SHA-256.', KEY_ID),
  account: text('The account.', ACCOUNT),
  name: text('For people.', { example: 'backend' }),
  scopes: textList('What it is for.', SCOPES),
  origins: textList('Pages that may use it; empty: from anywhere.', { example: [] }),
  createdAt: integer('Unix ms.', { example: 1_730_419_200_000 }),
  expiresAt: integerOrNull('Refused from then on, Unix ms; null: it has no end.', { example: null }),
  revokedAt: integerOrNull('When it was revoked, Unix ms; null: it was not.', { example: null }),
}) {}

class AdminMadeKey extends extendPayload(AdminKey, {
  key: text('The key itself. It is shown once and stored nowhere.', { example: 'tp_Zx3q7vJ1nX0s4m2kQyB8cR5tWu9eHdLa' }),
}) {}

export class AdminKeyAnswer extends payload({
  data: object(() => AdminKey, 'The key.'),
}) {}

export class AdminKeysAnswer extends payload({
  data: list(() => AdminKey, 'The oldest first.'),
}) {}

export class AdminMadeKeyAnswer extends payload({
  data: object(() => AdminMadeKey, 'The new key.'),
}) {}

export class AdminNewGrant extends payload({
  credits: integer('Credits.', { minimum: 1, example: 50_000 }),
  reason: optionalText('Kept with the grant.', { maxLength: 200, example: 'invoice 2024-118' }),
  id: optionalText('Of your choice: the same grant sent again is added once.', {
    maxLength: 80,
    example: 'inv-2024-118',
  }),
}) {}

class AdminGrant extends payload({
  id: text('Id.', { example: 'inv-2024-118' }),
  account: text('The account.', ACCOUNT),
  credits: integer('Credits.', { example: 50_000 }),
  reason: text('Why.', { example: 'invoice 2024-118' }),
  at: integer('Unix ms.', { example: 1_730_419_200_000 }),
}) {}

export class AdminGrantAnswer extends payload({
  data: object(() => AdminGrant, 'The grant.'),
}) {}

export class AdminGrantsAnswer extends payload({
  data: list(() => AdminGrant, 'The oldest first.'),
}) {}

export class AdminUsageAnswer extends payload({
  data: list(() => AccountUsageRow, 'By day, key and operation, the newest day first.'),
}) {}
