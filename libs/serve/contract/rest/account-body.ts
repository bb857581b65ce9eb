import { payload } from '../schema/property.js';
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

class AccountCredits extends payload({
  remaining: integerOrNull('What is left; null where the plan counts no credits.', { example: 98_750 }),
  includedPerMonth: integerOrNull('Included in each calendar month (UTC); null where none are counted.', {
    example: 100_000,
  }),
  includedSpent: integer('Spent of what this month includes.', { example: 1_250 }),
  granted: integer('Added by grants, ever; they do not end with a month.', { example: 0 }),
  grantedSpent: integer('Spent of grants, ever.', { example: 0 }),
  renewsAt: integer('When the month ends and what it includes comes again, Unix ms.', { example: 1_733_011_200_000 }),
}) {}

export class AccountUsageRow extends payload({
  day: text('Day, UTC.', { example: '2024-11-26' }),
  key: text('Id of the key: the first 16 digits of its SHA-256.', { example: '9f86d081884c7d65' }),
  route: text('Name of the operation, as in the documents.', { example: 'getToken' }),
  requests: integer('Requests that were let in.', { example: 1_250 }),
  credits: integer('Credits they cost; answers that are not paid cost none.', { example: 1_250 }),
  refused: integer('Requests that were refused: over the rate, or without credits for them.', { example: 3 }),
}) {}

export class AccountPrices extends payload({
  free: integer('What costs nothing, as this route.', { example: 0 }),
  status: integer('Health and state of chains.', { example: 1 }),
  read: integer('An answer about one thing: a token, a wallet, a page of trades.', { example: 1 }),
  list: integer('A list over a whole chain.', { example: 2 }),
  quote: integer('A quote.', { example: 1 }),
  build: integer('A transaction that is built.', { example: 5 }),
  stream: integer('Opening a live connection.', { example: 1 }),
  minute: integer('Each minute of it that begins.', { example: 1 }),
}) {}

export class AccountUsage extends payload({
  account: text('The account of the key.', { example: 'acme' }),
  name: text('Its name.', { example: 'Acme' }),
  plan: textOrNull('Its plan; null without one.', { example: 'Pro' }),
  ratePerSecond: integerOrNull('Requests a second, for all doors together; null: no limit.', { example: 20 }),
  credits: object(() => AccountCredits, 'Its credits.'),
  usage: list(() => AccountUsageRow, 'By day, key and operation, the newest day first.'),
  prices: object(() => AccountPrices, 'Credits of one request, by class; `x-credits` of an operation says its own.'),
}) {}

export class AccountUsageAnswer extends payload({
  data: object(
    () => AccountUsage,
    'The account and what it did; other processes’ requests come in within two seconds.',
  ),
}) {}
