import { integer, integerOrNull, list, number, numberOrNull, object, text, textList } from '../field.js';

/** What a caller should know before it builds. */
export const quoteWarnings = ['high_impact', 'taxed_token', 'not_transferable'] as const;

/** One pool of a route, in Jupiter's shape. */
export class EvmSwapInfo {
  @text('Address of the pool.')
  ammKey!: string;

  @text('Label of the venue, as `dex` in the venue list.', { example: 'Uniswap V3' })
  label!: string;

  @text('Token that goes in; the wrapped token stands for the native coin.')
  inputMint!: string;

  @text('Base units that go in.')
  inAmount!: string;

  @text('Token that comes out; the wrapped token stands for the native coin.')
  outputMint!: string;

  @text('Base units that come out.')
  outAmount!: string;

  @text('The pool’s fee, in base units of `feeMint`.')
  feeAmount!: string;

  @text('Token the fee is taken in: the one that goes in.')
  feeMint!: string;
}

export class EvmRouteStep {
  @object(() => EvmSwapInfo, 'The pool and its amounts.')
  swapInfo!: EvmSwapInfo;

  @integer('Always 100: routes are not split.')
  percent!: number;

  @integer('Always 10000: routes are not split.')
  bps!: number;

  @integer('Fee of the pool in parts per million.', { example: 3000 })
  fee!: number;

  @text('Id of the venue.', { example: 'eth-uniswap-v3' })
  venueId!: string;
}

/** A quote: send it back unchanged as `quoteResponse`. */
export class EvmQuote {
  @text('Lower-case address; the native coin is 0xeee…e.')
  inputMint!: string;

  @text('The amount asked, canonical decimal, base units.')
  inAmount!: string;

  @text('Lower-case address; the native coin is 0xeee…e.')
  outputMint!: string;

  @text('Output of the route at the quote’s block in base units, before any tax the token takes itself.')
  outAmount!: string;

  @text(
    'Floor enforced on chain: outAmount × (10000 − slippageBps) / 10000, rounded down; inAmount for a wrap or unwrap.',
  )
  otherAmountThreshold!: string;

  @text('Always ExactIn.', { enum: ['ExactIn'] })
  swapMode!: 'ExactIn';

  @integer('0-10000.', { minimum: 0, maximum: 10000 })
  slippageBps!: number;

  @text('Always 0: not computed.')
  priceImpactPct!: '0';

  @list(() => EvmRouteStep, 'One step per hop, in order; empty for a wrap or unwrap.')
  routePlan!: EvmRouteStep[];

  @integer('Number of the block of pricing.')
  contextSlot!: number;

  @number('Seconds spent inside the router.')
  timeTaken!: number;

  @text('What the build accepts until `expiresAt`.', { format: 'uuid' })
  quoteId!: string;

  @text('Slug of the chain.', { enum: ['eth', 'bsc', 'base', 'chaind'] })
  chain!: string;

  @integer('Chain id.', { enum: [1, 56, 8453, 4663] })
  chainId!: number;

  @text('Contract the swap is sent to and that approvals are for: the venue’s router, or the wrapped token.')
  router!: string;

  @text(
    'Indicative gas of the whole transaction: from the quoter on V3, measured by hop on V2 and until the quoter has answered.',
  )
  gasEstimate!: string;

  @text('Hash of the block of pricing.')
  blockHash!: string;

  @text('The quote can be built until then.', { format: 'date-time' })
  expiresAt!: string;

  @integer('Routes compared; 0 for a wrap or unwrap.')
  candidates!: number;

  @integerOrNull(
    'By how many basis points the route gives less than the spot prices of its pools before the trade, fees left out. A returned quote may lack this field and those below.',
    { example: 12 },
  )
  impactBps!: number | null;

  @numberOrNull('What goes in, in USD at the prices of the block of pricing; for people. Null: no pool sets a price.')
  inUsd!: number | null;

  @numberOrNull('What comes out, in USD.')
  outUsd!: number | null;

  @textList(
    'high_impact: `impactBps` is above 500. taxed_token: a token of the route keeps a part of each transfer. not_transferable: a token of the route cannot be moved, so that a build will fail. Simulations of the last day found the latter two.',
    { enum: [...quoteWarnings] },
  )
  warnings!: (typeof quoteWarnings)[number][];
}
