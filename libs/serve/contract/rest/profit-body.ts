import { extendPayload, payload } from '../schema/property.js';
import { ChainsMeta } from './chain-body.js';
import { EXAMPLE_WALLET } from './examples.js';
import {
  amountOrNull,
  chainSlug,
  integer,
  integerOrNull,
  list,
  number,
  numberOrNull,
  object,
  text,
  textOrNull,
} from './field.js';
import { Meta } from './meta.js';

const share = { minimum: 0, maximum: 100 };

/** The fields of profit and loss, the same on every route that has them. */
export class ProfitFields extends payload({
  realizedUsd: number(
    'Profit of sales in USD, negative for a loss: what came for the units with a cost, less what left for them on average, taxes and the fees of venues, creators and routers included. Units that came by transfer have no cost, and no profit.',
    { example: 1_204.5 },
  ),
  unrealizedUsd: numberOrNull(
    'What the units with a cost that are still held are worth at the block of `meta`, less their cost; null where the token has no price.',
    { example: 310.2 },
  ),
  totalUsd: numberOrNull('`realizedUsd` and `unrealizedUsd` together; null where that is.', { example: 1_514.7 }),
  costUsd: number('What the units that are still held cost, at average cost.', { example: 2_000 }),
  averageBuyPriceUsd: numberOrNull(
    'Average price of one whole token in buys of a known price; null without one, and over several tokens.',
    {
      example: 2_410.5,
    },
  ),
  averageSellPriceUsd: numberOrNull('The same of sales.', { example: 2_513.42 }),
  boughtUsd: number('What was paid for what was bought, in USD at the block of each trade, with taxes and fees.', {
    example: 10_000,
  }),
  soldUsd: number('What sales brought, in USD at the block of each trade, without taxes and fees.', {
    example: 9_204.5,
  }),
  buys: integer('Number of buys.', { example: 12 }),
  sells: integer('Number of sales.', { example: 9 }),
  winRatePercent: numberOrNull(
    'Sales with a profit among those of units with a cost that had a profit or a loss, of tokens that were paid with too where several are summed up, 0-100; null without one.',
    {
      ...share,
      example: 66.7,
    },
  ),
  firstTradeAt: integerOrNull('Block time of the first trade, Unix ms.', { example: 1_730_000_000_000 }),
  lastTradeAt: integerOrNull('Block time of the last trade, Unix ms.', { example: 1_730_000_000_000 }),
  holdingSeconds: numberOrNull(
    'How long the token was held, from the holding of the first trade on, in seconds; over several tokens the mean of those, the coin and the stables left out.',
    { example: 86_400 },
  ),
  unpricedPercent: numberOrNull(
    'How much is without a cost, so that no profit is reported for it, 0-100: of one token, of the units sold and held; over several tokens, of what was sold, in USD.',
    { ...share, example: 0 },
  ),
}) {}

const linkedPercent = () =>
  numberOrNull(
    'How much of the profits of sales with a profit was made against wallets of the same funder, as far as that is seen, 0-100; null without such a sale.',
    { ...share, example: 0 },
  );

const feesUsd = () =>
  numberOrNull(
    'Fees of the transactions in which the wallet traded, at the price of the coin at the end of the block before: what the wallet paid for its own transactions to be processed, tips to validators included. It is in no other figure. 0 for transactions that others sent; null where it is not known of some transaction: the log of an EVM chain has no fees.',
    { example: 0.42 },
  );

/** Over all tokens of a wallet. */
export class WalletProfitFields extends extendPayload(ProfitFields, {
  feesUsd: feesUsd(),
  linkedPercent: linkedPercent(),
}) {}

export class PositionRow extends extendPayload(ProfitFields, {
  wallet: text('Address of the wallet.', { example: EXAMPLE_WALLET }),
  balance: amountOrNull(
    'What it holds; in base units where the token states no decimals. Null where that is not known, and over several tokens.',
  ),
  balanceUnknown: textOrNull<'history' | 'contradicted'>(
    'Why what wallets hold of the token is not known: `history`, it may have moved before the index begins; `contradicted`, it moves amounts without transfers, or the chain states another balance. Null where it is known, and over several tokens.',
    { enum: ['history', 'contradicted'], example: null },
  ),
  valueUsd: numberOrNull('What it holds at the price of the block of `meta`; null where `balance` is.', {
    example: 3_102.1,
  }),
}) {}

export class PositionsAnswer extends payload({
  data: list(
    () => PositionRow,
    'One row for each wallet asked for, in that order, each once. Zeros and nulls where it never traded the token.',
  ),
  meta: object(() => Meta, 'The state this answer was read from.'),
}) {}

export class TradersAnswer extends payload({
  data: list(() => PositionRow, 'The largest realised profit first, then by address.'),
  next: textOrNull('Pass it back as `cursor` for the next page; null at the end.', { example: null }),
  meta: object(() => Meta, 'The state this answer was read from.'),
}) {}

export class TopWalletRow extends extendPayload(PositionRow, {
  chain: chainSlug(),
  feesUsd: feesUsd(),
  linkedPercent: linkedPercent(),
  exitUsd: numberOrNull('What a sale of each token that it holds would bring, together; null where `valueUsd` is.', {
    example: 2_950.4,
  }),
}) {}

export class TopWalletsAnswer extends payload({
  data: list(
    () => TopWalletRow,
    'In the order asked for. As the summary of the pnl of a wallet; `balance` is null. `valueUsd` is of all tokens that the wallet holds, traded or not, the wrapped coin among them, as its holdings list them: those without a price, and those whose balances are not known, are left out; null where none is left of what it traded. The coin of the chain is apart, in the holdings alone. `costUsd`, `unrealizedUsd` and `holdingSeconds` are of the tokens that the wallet traded and holds, of the 1,000 that it traded last.',
  ),
  next: textOrNull('Pass it back unchanged as `cursor` for the next page; null at the end.', { example: null }),
  meta: object(() => ChainsMeta, 'The state of each chain that this page, and every page after it, was read from.'),
}) {}

export class ProfitBucket extends payload({
  time: integer('Start of the hour or day of UTC, Unix ms.', { example: 1_767_225_600_000 }),
  realizedUsd: number('Profit of the sales in it, negative for a loss.', { example: 120.5 }),
  cumulativeUsd: number('The sum of it and all before it in this series.', { example: 1_204.5 }),
  boughtUsd: number('What was bought for.', { example: 1_000 }),
  soldUsd: number('What was sold for.', { example: 920.45 }),
  buys: integer('Number of buys.', { example: 2 }),
  sells: integer('Number of sales.', { example: 1 }),
}) {}

class WalletProfitBody extends payload({
  chain: chainSlug(),
  wallet: text('Address of the wallet.', { example: EXAMPLE_WALLET }),
  interval: text('Length of a bucket of the series.', { enum: ['1d', '1h'], example: '1d' }),
  from: integer('Start of the first bucket, Unix ms.', { example: 1_764_633_600_000 }),
  to: integer('End of the last bucket, exclusive, Unix ms.', { example: 1_767_225_600_000 }),
  summary: object(
    () => WalletProfitFields,
    'Over all tokens. `realizedUsd` is of the sales in the range, of tokens that the wallet paid with too; trades and their values count each trade once, from its base token. `costUsd` and `unrealizedUsd` are of what it holds at the block of `meta`, whenever it was bought; tokens without a price are left out of `unrealizedUsd`. Of the 10,000 tokens that it traded last.',
  ),
  series: list(() => ProfitBucket, 'Every bucket of the range up to the block of `meta`, ascending.'),
}) {}

export class WalletProfitAnswer extends payload({
  data: object(() => WalletProfitBody, 'Profit and loss of the wallet.'),
  meta: object(() => Meta, 'The state this answer was read from.'),
}) {}
