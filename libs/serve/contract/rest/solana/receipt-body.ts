import { payload } from '../../schema/property.js';
import { integer, integerOrNull, list, numberOrNull, object, objectOrNull, text, textOrNull } from '../field.js';
import { choice, cursorText, limit, word } from '../query-field.js';
import { ReceiptSummaryBody, receiptStates } from '../receipt-summary.js';

const KEY = '^[1-9A-HJ-NP-Za-km-z]{32,44}$';
const SIGNATURE = '^[1-9A-HJ-NP-Za-km-z]{64,88}$';
const EXAMPLE_WALLET = '7vNQuTqLxHJBgaBgzWmmiBsrgGjQPxWrMAtiqmkMn4bT';
const EXAMPLE_IN = 'So11111111111111111111111111111111111111112';
const EXAMPLE_OUT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGkZwyTDt1v';
const EXAMPLE_SLOT = 312_000_000;

const key = (description: string, example: string) => text(description, { pattern: KEY, example });
const units = (description: string, example: string) =>
  text(`${description} Base units, decimal digits.`, { pattern: '^\\d+$', example });
const moment = (description: string, example: string) => text(description, { example, format: 'date-time' });

export class SolReceiptsQuery {
  @word('wallet', 'Only builds for this wallet, a base58 address.', 100, { examples: [EXAMPLE_WALLET] })
  wallet?: string;

  @choice('state', receiptStates, 'Only receipts in this state.')
  state?: 'built' | 'executed' | 'expired';

  @limit(50, 200)
  limit: number = 50;

  @cursorText()
  cursor?: string;
}

/** The swap as the chain has it. */
class SolExecution extends payload({
  tx: text('Signature of the transaction.', {
    pattern: SIGNATURE,
    example: '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW',
  }),
  slot: integer('Slot it is in.', { example: EXAMPLE_SLOT }),
  blockHash: key('Hash of the block of that slot.', 'GfVcyD4kkTrj4bKc7WA9sZCin9JDbdT4Zkd3EittNR1W'),
  time: moment('Time of that block.', '2026-11-22T13:59:01.000Z'),
  inAmount: units('What the wallet paid, the platform fee of an ExactOut included.', '1000000000'),
  outAmount: units('What reached the wallet, after the platform fee of an ExactIn.', '149500000'),
  differenceBps: numberOrNull(
    'Basis points by which it differs from what was quoted, on the side that is not exact, rounded towards zero at two decimals; negative: the wallet received less, or paid more.',
    { example: -1.25 },
  ),
  versusSimulationBps: numberOrNull('The same against the build’s simulation.', { example: 0 }),
  slotsLater: integer('Slots between the simulation and the swap.', { example: 2 }),
}) {}

class SolReceiptStep extends payload({
  ammKey: key('Address of the pool.', 'HJPjoWUrhoBzkNfRpHuieeFk9WcZWjwy6PBjZ81ngndJ'),
  label: text('Label of its venue.', { example: 'Tidepool AMM' }),
}) {}

class SolReceiptLeg extends payload({
  bps: integer('Share of the exact amount; all legs together have 10,000.', {
    example: 10_000,
    minimum: 1,
    maximum: 10_000,
  }),
  amount: units('What goes in at its start, or of an ExactOut what comes out at its end.', '1000000000'),
  steps: list(() => SolReceiptStep, 'Pools in order.'),
}) {}

/** What one build promised and, once the swap was seen on chain, what it gave. */
export class SolReceipt extends payload({
  id: text('Id of the build.', { example: '0b9c6a52-3a0e-4b57-8f1d-9b1c2d3e4f50', format: 'uuid' }),
  quoteId: text('The quote it was built from.', { example: '5f0c2f7e-6f3b-4a53-9d0e-2f1f6a3b9c11', format: 'uuid' }),
  chain: text('Slug of the chain.', { example: 'chain' }),
  wallet: key('The wallet that signs.', EXAMPLE_WALLET),
  recipient: key(
    'Who gets the output: `destinationTokenAccount` where one was named, else the wallet.',
    EXAMPLE_WALLET,
  ),
  inputMint: key('Token that goes in; the wrapped coin stands for the coin.', EXAMPLE_IN),
  outputMint: key('Token that comes out; the wrapped coin stands for the coin.', EXAMPLE_OUT),
  swapMode: text<'ExactIn' | 'ExactOut'>('Which side is exact.', { enum: ['ExactIn', 'ExactOut'] }),
  inAmount: units('What was quoted to leave the wallet.', '1000000000'),
  quotedOut: units('What was quoted to reach the wallet.', '149500000'),
  simulatedIn: units('What left the wallet in the build’s simulation.', '1000000000'),
  simulatedOut: units('What reached the wallet in the build’s simulation.', '149500000'),
  otherAmountThreshold: units(
    'Bound enforced on chain: the least output of an ExactIn, the most input of an ExactOut.',
    '148752500',
  ),
  slippageBps: integer('Slippage of the quote.', { example: 50 }),
  platformFeeBps: integerOrNull('Platform fee, of the side that is not exact; null without one.', { example: null }),
  dex: text('Label of the venue; of a route over several all of them, with + between them.', {
    example: 'Tidepool AMM',
  }),
  venueId: text('Id of the venue, or all of them in the same way.', { example: 'chain-venue' }),
  legs: list(() => SolReceiptLeg, 'Paths that the exact amount is split over.'),
  quoteSlot: integer('Slot the quote was priced at.', { example: EXAMPLE_SLOT }),
  buildSlot: integer('Slot of the simulation.', { example: EXAMPLE_SLOT }),
  builtAt: moment('When it was built.', '2026-11-22T13:59:00.000Z'),
  deadline: moment('Two minutes later: its blockhash is no longer good by then.', '2026-11-22T14:01:00.000Z'),
  lastSlot: integer('The slot that must have passed too before it counts as expired.', { example: EXAMPLE_SLOT + 300 }),
  state: text<(typeof receiptStates)[number]>(
    'built: not seen on chain yet. executed: seen; a fork that takes it away makes it built again. expired: in no block up to the deadline; a transaction that fails on chain ends so too.',
    { enum: [...receiptStates] },
  ),
  executed: objectOrNull(() => SolExecution, 'null unless executed.'),
}) {}

/** Over every receipt that the parameters take, whatever the page. */
class SolReceiptSummary extends ReceiptSummaryBody {}

export class SolReceiptsAnswer extends payload({
  data: list(() => SolReceipt, 'Newest first.'),
  next: textOrNull('Cursor of the next page; null: the list ends here.', { example: null }),
  summary: object(() => SolReceiptSummary, 'Over the whole list.'),
}) {}
