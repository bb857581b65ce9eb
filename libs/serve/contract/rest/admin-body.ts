import { keyScopes } from '#libs/protocol/accounts/account-record.js';
import { plainProperty } from '../schema/property.js';
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
const maybe = (type: string | readonly string[], description: string, example: unknown, more: object = {}) =>
  plainProperty({ type, description, examples: [example], ...more } as Parameters<typeof plainProperty>[0], true);

export class AdminErrorDetail {
  @text('Permanent code.', { enum: [...errorCodes, 'conflict'], example: 'bad_request' })
  code!: string;

  @text('What is wrong and what to change.', { example: 'id is required' })
  message!: string;
}

/** Every error of the admin API, except 405, which has no body. */
export class AdminErrorBody {
  @object(() => AdminErrorDetail, 'The error.')
  error!: AdminErrorDetail;
}

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

export class AdminNewAccount {
  @text('Lower-case letters, digits and `-`, at most 40, a letter or digit first.', ACCOUNT)
  id!: string;

  @optionalText('For people; the id without it.', { maxLength: 200, example: 'Acme' })
  name?: string;

  @maybe(['string', 'null'], 'A plan of `GET /plans`; none: 10 requests a second, no credits counted.', 'Pro')
  plan?: string | null;

  @maybe(['integer', 'null'], 'Requests a second in place of the plan’s; 0: no limit; null: the plan’s.', null, RATE)
  rate?: number | null;
}

export class AdminAccountChange {
  @optionalText('For people.', { maxLength: 200, example: 'Acme' })
  name?: string;

  @maybe(['string', 'null'], 'Another plan, or none.', 'Enterprise')
  plan?: string | null;

  @maybe(['integer', 'null'], 'Requests a second in place of the plan’s; 0: no limit; null: the plan’s.', 50, RATE)
  rate?: number | null;

  @maybe('boolean', 'True: every key of the account is refused until it is open again.', false)
  closed?: boolean;
}

export class AdminAccount {
  @text('Id.', ACCOUNT)
  id!: string;

  @text('For people.', { example: 'Acme' })
  name!: string;

  @textOrNull('Its plan; null without one.', { example: 'Pro' })
  plan!: string | null;

  @integerOrNull('Requests a second in place of the plan’s; null: the plan’s.', { example: null })
  ownRate!: number | null;

  @integerOrNull('Requests a second that hold; 0: no limit; null while it is closed.', { example: 20 })
  rate!: number | null;

  @flag('Every key of it is refused.')
  closed!: boolean;

  @integer('Unix ms.', { example: 1_730_419_200_000 })
  createdAt!: number;

  @integerOrNull('What is left of its credits; null where none are counted.', { example: 98_750 })
  creditsRemaining!: number | null;

  @integerOrNull('Credits that its plan includes in each month; null where none are counted.', { example: 100_000 })
  creditsPerMonth!: number | null;

  @integer('Spent of what this month includes.', { example: 1_250 })
  includedSpent!: number;

  @integer('Credits of all grants.', { example: 0 })
  granted!: number;

  @integer('Spent of grants, ever.', { example: 0 })
  grantedSpent!: number;
}

export class AdminAccountAnswer {
  @object(() => AdminAccount, 'The account.')
  data!: AdminAccount;
}

export class AdminAccountsAnswer {
  @list(() => AdminAccount, 'By id.')
  data!: AdminAccount[];
}

export class AdminPlan {
  @text('Letters, digits, spaces, `_` and `-`, at most 40, a letter first.', { example: 'Pro' })
  name!: string;

  @integer('Requests a second; 0: no limit.', { ...RATE, example: 20 })
  rate!: number;

  @integerOrNull('Credits included in each calendar month (UTC); null: none are counted.', { example: 100_000 })
  credits!: number | null;
}

export class AdminPlanAnswer {
  @object(() => AdminPlan, 'The plan.')
  data!: AdminPlan;
}

export class AdminPlansAnswer {
  @list(() => AdminPlan, 'All plans.')
  data!: AdminPlan[];
}

export class AdminNewKey {
  @text('The account.', ACCOUNT)
  account!: string;

  @optionalText('For people.', { maxLength: 200, example: 'backend' })
  name?: string;

  @maybe('array', 'What it is for; everything without it.', ['data', 'router'], {
    items: { type: 'string', enum: [...keyScopes] },
  })
  scopes?: string[];

  @maybe('array', 'Pages that may use it; from anywhere without it.', ['https://app.example'], {
    items: { type: 'string' },
  })
  origins?: string[];

  @maybe('integer', 'Days until it is refused; it has no end without it.', 90, { minimum: 1, maximum: 36_500 })
  days?: number;
}

export class AdminRotation {
  @maybe('integer', 'Hours for which the old key is accepted on; 24 without it.', 24, { minimum: 0, maximum: 8_760 })
  graceHours?: number;
}

export class AdminKey {
  @text('The first 16 digits of its SHA-256.', KEY_ID)
  id!: string;

  @text('The account.', ACCOUNT)
  account!: string;

  @text('For people.', { example: 'backend' })
  name!: string;

  @textList('What it is for.', SCOPES)
  scopes!: string[];

  @textList('Pages that may use it; empty: from anywhere.', { example: [] })
  origins!: string[];

  @integer('Unix ms.', { example: 1_730_419_200_000 })
  createdAt!: number;

  @integerOrNull('Refused from then on, Unix ms; null: it has no end.', { example: null })
  expiresAt!: number | null;

  @integerOrNull('When it was revoked, Unix ms; null: it was not.', { example: null })
  revokedAt!: number | null;
}

export class AdminMadeKey extends AdminKey {
  @text('The key itself. It is shown once and stored nowhere.', { example: 'tp_Zx3q7vJ1nX0s4m2kQyB8cR5tWu9eHdLa' })
  key!: string;
}

export class AdminKeyAnswer {
  @object(() => AdminKey, 'The key.')
  data!: AdminKey;
}

export class AdminKeysAnswer {
  @list(() => AdminKey, 'The oldest first.')
  data!: AdminKey[];
}

export class AdminMadeKeyAnswer {
  @object(() => AdminMadeKey, 'The new key.')
  data!: AdminMadeKey;
}

export class AdminNewGrant {
  @integer('Credits.', { minimum: 1, example: 50_000 })
  credits!: number;

  @optionalText('Kept with the grant.', { maxLength: 200, example: 'invoice 2024-118' })
  reason?: string;

  @optionalText('Of your choice: the same grant sent again is added once.', { maxLength: 80, example: 'inv-2024-118' })
  id?: string;
}

export class AdminGrant {
  @text('Id.', { example: 'inv-2024-118' })
  id!: string;

  @text('The account.', ACCOUNT)
  account!: string;

  @integer('Credits.', { example: 50_000 })
  credits!: number;

  @text('Why.', { example: 'invoice 2024-118' })
  reason!: string;

  @integer('Unix ms.', { example: 1_730_419_200_000 })
  at!: number;
}

export class AdminGrantAnswer {
  @object(() => AdminGrant, 'The grant.')
  data!: AdminGrant;
}

export class AdminGrantsAnswer {
  @list(() => AdminGrant, 'The oldest first.')
  data!: AdminGrant[];
}

export class AdminUsageAnswer {
  @list(() => AccountUsageRow, 'By day, key and operation, the newest day first.')
  data!: AccountUsageRow[];
}
