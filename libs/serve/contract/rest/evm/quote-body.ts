import { payload, VALUES } from '../../schema/property.js';
import { EXAMPLE_CHAIN, EXAMPLE_VENUE } from '../examples.js';
import { integer, integerOrNull, list, number, numberOrNull, object, text, textList } from '../field.js';

/** What a caller should know before it builds. */
export const quoteWarnings = ['high_impact', 'taxed_token', 'not_sellable', 'not_transferable'] as const;

/** One pool of a route, in Jupiter's shape. */
class EvmSwapInfo extends payload({
  ammKey: text('Address of the pool.', {
    pattern: '^0x[0-9a-f]{40}$',
    example: '0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640',
  }),
  label: text('Label of the venue, as `dex` in the venue list.', { example: 'Uniswap V3' }),
  inputMint: text('Token that goes in; the wrapped token stands for the native coin.', {
    pattern: '^0x[0-9a-f]{40}$',
    example: '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',
  }),
  inAmount: text('Base units that go in. Decimal digits.', { pattern: '^\\d+$', example: '1000000000000000000' }),
  outputMint: text('Token that comes out; the wrapped token stands for the native coin.', {
    pattern: '^0x[0-9a-f]{40}$',
    example: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
  }),
  outAmount: text('Base units that come out. Decimal digits.', { pattern: '^\\d+$', example: '2513420000' }),
  feeAmount: text('The pool’s fee, in base units of `feeMint`. Decimal digits.', {
    pattern: '^\\d+$',
    example: '500000000000000',
  }),
  feeMint: text('Token the fee is taken in: the one that goes in.', {
    pattern: '^0x[0-9a-f]{40}$',
    example: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
  }),
}) {}

export class EvmRouteStep extends payload({
  swapInfo: object(() => EvmSwapInfo, 'The pool and its amounts.'),
  percent: integer('Always 100: routes are not split.', { example: 100 }),
  bps: integer('Always 10000: routes are not split.', { example: 10_000 }),
  fee: integer('Fee of the pool in parts per million.', { example: 3000 }),
  venueId: text('Id of the venue.', { example: EXAMPLE_VENUE }),
}) {}

/** A quote: send it back unchanged as `quoteResponse`. */
export class EvmQuote extends payload({
  inputMint: text('Lower-case address; the native coin is 0xeee…e.', {
    pattern: '^0x[0-9a-f]{40}$',
    example: '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',
  }),
  inAmount: text('The amount asked, canonical decimal, base units. Decimal digits.', {
    pattern: '^\\d+$',
    example: '1000000000000000000',
  }),
  outputMint: text('Lower-case address; the native coin is 0xeee…e.', {
    pattern: '^0x[0-9a-f]{40}$',
    example: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
  }),
  outAmount: text(
    'Output of the route at the quote’s block in base units, before any tax the token takes itself. Decimal digits.',
    { pattern: '^\\d+$', example: '2513420000' },
  ),
  otherAmountThreshold: text(
    'Floor enforced on chain: outAmount × (10000 − slippageBps) / 10000, rounded down; inAmount for a wrap or unwrap. Decimal digits.',
    { pattern: '^\\d+$', example: '2500852900' },
  ),
  swapMode: text<'ExactIn'>('Always ExactIn.', { enum: ['ExactIn'] }),
  slippageBps: integer('0-10000.', { example: 50, minimum: 0, maximum: 10000 }),
  priceImpactPct: text<'0'>('Always 0: not computed.', { example: '0' }),
  routePlan: list(() => EvmRouteStep, 'One step per hop, in order; empty for a wrap or unwrap.'),
  contextSlot: integer('Number of the block of pricing.', { example: 21_000_000 }),
  timeTaken: number('Seconds spent inside the router.', { example: 0.0012 }),
  quoteId: text('What the build accepts until `expiresAt`.', {
    example: '5f0c2f7e-6f3b-4a53-9d0e-2f1f6a3b9c11',
    format: 'uuid',
  }),
  chain: text('Slug of the chain.', { [VALUES]: 'evm-chains', example: EXAMPLE_CHAIN }),
  chainId: integer('Chain id.', { enum: [1, 56, 8453, 4663] }),
  router: text('Contract the swap is sent to and that approvals are for: the venue’s router, or the wrapped token.', {
    pattern: '^0x[0-9a-f]{40}$',
    example: '0x68b3465833fb72a70ecdf485e0e4c7bd8665fc45',
  }),
  gasEstimate: text(
    'Gas of the swap transaction, its 21,000 included, approvals apart: measured costs of the hops, and on V3 of the ticks that the amount comes through. The simulation of a build has the real figure. Decimal digits.',
    { pattern: '^\\d+$', example: '128000' },
  ),
  blockHash: text('Hash of the block of pricing.', {
    pattern: '^0x[0-9a-f]{64}$',
    example: '0x6d8f4c1f6d7c0f5f0f3d4dd0a5b0f4c7d9b1e2a3c4f5061728394a5b6c7d8e9f',
  }),
  expiresAt: text('The quote can be built until then.', { example: '2026-11-22T14:00:30.000Z', format: 'date-time' }),
  candidates: integer('Routes compared; 0 for a wrap or unwrap.', { example: 7 }),
  impactBps: integerOrNull(
    'By how many basis points the route gives less than the spot prices of its pools before the trade, fees left out. A returned quote may lack this field and those below.',
    { example: 12 },
  ),
  inUsd: numberOrNull(
    'What goes in, in USD at the prices of the block of pricing; for people. Null: no pool sets a price.',
    {
      example: 2513.42,
    },
  ),
  outUsd: numberOrNull('What comes out, in USD.', { example: 2510.1 }),
  warnings: textList<(typeof quoteWarnings)[number]>(
    'high_impact: `impactBps` is above 500. taxed_token: a token of the route keeps a part of each transfer. not_sellable: who buys a token of the route cannot sell it again. not_transferable: a token of the route cannot be moved, so that a build will fail. Simulations found the latter three: of builds on the last day, and those that `safety` of the token shows.',
    { enum: [...quoteWarnings] },
  ),
}) {}
