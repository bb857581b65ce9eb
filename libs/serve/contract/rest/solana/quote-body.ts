import { payload } from '../../schema/property.js';
import { integer, integerOrNull, list, number, numberOrNull, object, objectOrNull, text, textList } from '../field.js';

/** A Solana quote in Jupiter's shape, and what ours adds. */
const MINT = '^[1-9A-HJ-NP-Za-km-z]{32,44}$';
const DIGITS = '^\\d+$';
const EXAMPLE_IN = 'So11111111111111111111111111111111111111112';
const EXAMPLE_OUT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGkZwyTDt1v';

const mint = (description: string, example: string) => text(description, { pattern: MINT, example });
const units = (description: string, example: string) =>
  text(`${description} Decimal digits.`, { pattern: DIGITS, example });

export const solQuoteWarnings = ['high_impact'] as const;

class SolSwapInfo extends payload({
  ammKey: mint('Address of the pool.', 'HJPjoWUrhoBzkNfRpHuieeFk9WcZWjwy6PBjZ81ngndJ'),
  label: text('Label of the venue, as `dex` in the venue list.', { example: 'Tidepool AMM' }),
  inputMint: mint('Token that goes in.', EXAMPLE_IN),
  outputMint: mint('Token that comes out.', EXAMPLE_OUT),
  inAmount: units('Base units that go in.', '1000000000'),
  outAmount: units('Base units that come out.', '149500000'),
  feeAmount: units('The pool’s fee, in base units of `feeMint`.', '2500000'),
  feeMint: mint('Token the fee is taken in.', EXAMPLE_IN),
}) {}

export class SolRouteStep extends payload({
  swapInfo: object(() => SolSwapInfo, 'The pool and its amounts.'),
  percent: number('Share of the leg that the step is part of, in percent.', { example: 100 }),
  bps: integer('The same in basis points.', { example: 10_000, minimum: 1, maximum: 10_000 }),
}) {}

class SolPlatformFee extends payload({
  amount: units('Base units: of `outputMint`, or of `inputMint` for ExactOut.', '1495000'),
  feeBps: integer('Basis points.', { example: 100, minimum: 1, maximum: 10_000 }),
}) {}

/** Send it back unchanged as `quoteResponse`. */
export class SolQuote extends payload({
  inputMint: mint('Token that goes in; the wrapped coin stands for the coin.', EXAMPLE_IN),
  inAmount: units('What leaves the wallet, the platform fee of an ExactOut included.', '1000000000'),
  outputMint: mint('Token that comes out; the wrapped coin stands for the coin.', EXAMPLE_OUT),
  outAmount: units('What reaches the wallet, after the platform fee of an ExactIn.', '149500000'),
  otherAmountThreshold: units(
    'Bound enforced on chain: the least output of an ExactIn, outAmount × (10000 − slippageBps) / 10000; the most input of an ExactOut, inAmount × (10000 + slippageBps) / 10000. Rounded down.',
    '148752500',
  ),
  swapMode: text<'ExactIn' | 'ExactOut'>('Which side is exact.', { enum: ['ExactIn', 'ExactOut'] }),
  slippageBps: integer('0-10000.', { example: 50, minimum: 0, maximum: 10000 }),
  platformFee: objectOrNull(() => SolPlatformFee, 'Null where none was asked for.'),
  priceImpactPct: text(
    'By which part the route gives less than the spot prices of its pools before the trade, fees left out: 0.01 is one percent. `0` where a pool states no spot.',
    { pattern: '^\\d+(\\.\\d+)?$', example: '0.000812' },
  ),
  routePlan: list(
    () => SolRouteStep,
    'The steps of each leg in order, one leg after the other; a leg begins at `inputMint`.',
  ),
  contextSlot: integer('Newest slot that the pools were read at.', { example: 312_000_000 }),
  timeTaken: number('Seconds spent inside the router.', { example: 0.0012 }),
  quoteId: text('What the build accepts until `expiresAt`.', {
    example: '5f0c2f7e-6f3b-4a53-9d0e-2f1f6a3b9c11',
    format: 'uuid',
  }),
  expiresAt: text('The quote can be built until then: 30 seconds.', {
    example: '2026-11-22T14:00:30.000Z',
    format: 'date-time',
  }),
  programId: mint('The deployed swap program that builds are for.', 'TidepooLSwap1111111111111111111111111111111'),
  candidates: integer('Paths compared.', { example: 7 }),
  impactBps: integerOrNull('`priceImpactPct` in basis points; null where a pool states no spot.', { example: 8 }),
  inUsd: numberOrNull('What goes in, in USD at the prices of the pools; for people. Null: no pool sets a price.', {
    example: 150.1,
  }),
  outUsd: numberOrNull('What comes out, in USD.', { example: 149.5 }),
  warnings: textList<(typeof solQuoteWarnings)[number]>('high_impact: `impactBps` is above 500.', {
    enum: [...solQuoteWarnings],
  }),
}) {}
