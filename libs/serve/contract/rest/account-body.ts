import { integer, integerOrNull, list, object, text, textOrNull } from './field.js';
import { wholeNumber } from './query-field.js';

export class AccountUsageQuery {
  @wholeNumber('days', 1, 62, 'a whole number from 1 to 62', {
    description: 'Days back, today (UTC) included.',
    default: 30,
    examples: [7],
  })
  days: number = 30;
}

export class AccountCredits {
  @integerOrNull('What is left; null where the plan counts no credits.', { example: 98_750 })
  remaining!: number | null;

  @integerOrNull('Included in each calendar month (UTC); null where none are counted.', { example: 100_000 })
  includedPerMonth!: number | null;

  @integer('Spent of what this month includes.', { example: 1_250 })
  includedSpent!: number;

  @integer('Added by grants, ever; they do not end with a month.', { example: 0 })
  granted!: number;

  @integer('Spent of grants, ever.', { example: 0 })
  grantedSpent!: number;

  @integer('When the month ends and what it includes comes again, Unix ms.', { example: 1_733_011_200_000 })
  renewsAt!: number;
}

export class AccountUsageRow {
  @text('Day, UTC.', { example: '2024-11-26' })
  day!: string;

  @text('Id of the key: the first 16 digits of its SHA-256.', { example: '9f86d081884c7d65' })
  key!: string;

  @text('Name of the operation, as in the documents.', { example: 'getToken' })
  route!: string;

  @integer('Requests that were let in.', { example: 1_250 })
  requests!: number;

  @integer('Credits they cost; answers that are not paid cost none.', { example: 1_250 })
  credits!: number;

  @integer('Requests that were refused: over the rate, or without credits for them.', { example: 3 })
  refused!: number;
}

export class AccountPrices {
  @integer('What costs nothing, as this route.', { example: 0 })
  free!: number;

  @integer('Health and state of chains.', { example: 1 })
  status!: number;

  @integer('An answer about one thing: a token, a wallet, a page of trades.', { example: 1 })
  read!: number;

  @integer('A list over a whole chain.', { example: 2 })
  list!: number;

  @integer('A quote.', { example: 1 })
  quote!: number;

  @integer('A transaction that is built.', { example: 5 })
  build!: number;

  @integer('Opening a live connection.', { example: 1 })
  stream!: number;

  @integer('Each minute of it that begins.', { example: 1 })
  minute!: number;
}

export class AccountUsage {
  @text('The account of the key.', { example: 'acme' })
  account!: string;

  @text('Its name.', { example: 'Acme' })
  name!: string;

  @textOrNull('Its plan; null without one.', { example: 'Pro' })
  plan!: string | null;

  @integerOrNull('Requests a second, for all doors together; null: no limit.', { example: 20 })
  ratePerSecond!: number | null;

  @object(() => AccountCredits, 'Its credits.')
  credits!: AccountCredits;

  @list(() => AccountUsageRow, 'By day, key and operation, the newest day first.')
  usage!: AccountUsageRow[];

  @object(() => AccountPrices, 'Credits of one request, by class; `x-credits` of an operation says its own.')
  prices!: AccountPrices;
}

export class AccountUsageAnswer {
  @object(() => AccountUsage, 'The account and what it did; other processes’ requests come in within two seconds.')
  data!: AccountUsage;
}
