import { payload } from '../../schema/property.js';
import { EXAMPLE_CHAIN, EXAMPLE_VENUE, EXAMPLE_WALLET } from '../examples.js';
import { chainSlug, integer, list, numberOrNull, object, objectOrNull, text, textList, textOrNull } from '../field.js';
import { choice, cursorText, limit, word } from '../query-field.js';
import { ReceiptSummaryBody, receiptStates } from '../receipt-summary.js';

export class EvmReceiptsQuery {
  @word('chain', 'Slug, alias or id of a chain; without it all chains.', 100, { examples: [EXAMPLE_CHAIN] })
  chain?: string;

  @word('wallet', 'Only builds for this wallet, a 0x address.', 100, { examples: [EXAMPLE_WALLET] })
  wallet?: string;

  @choice('state', receiptStates, 'Only receipts in this state.')
  state?: 'built' | 'executed' | 'expired';

  @limit(50, 200)
  limit: number = 50;

  @cursorText()
  cursor?: string;
}

class EvmReceiptBlock extends payload({
  number: integer('Number of the block.', { example: 21_000_000 }),
  hash: text('Its hash.', {
    pattern: '^0x[0-9a-f]{64}$',
    example: '0x6d8f4c1f6d7c0f5f0f3d4dd0a5b0f4c7d9b1e2a3c4f5061728394a5b6c7d8e9f',
  }),
}) {}

/** The swap as the chain has it. */
class EvmExecution extends payload({
  tx: text('Hash of the transaction.', {
    pattern: '^0x[0-9a-f]{64}$',
    example: '0x9a1c5e3f7b2d4860c1e2f3a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8',
  }),
  block: integer('Block it is in.', { example: 21_000_000 }),
  blockHash: text('Hash of that block.', {
    pattern: '^0x[0-9a-f]{64}$',
    example: '0x6d8f4c1f6d7c0f5f0f3d4dd0a5b0f4c7d9b1e2a3c4f5061728394a5b6c7d8e9f',
  }),
  time: text('Time of that block.', { example: '2026-11-22T13:59:12.000Z', format: 'date-time' }),
  outAmount: text('What the last pool gave, base units, before a tax that the token takes itself. Decimal digits.', {
    pattern: '^\\d+$',
    example: '2513420000',
  }),
  differenceBps: numberOrNull(
    'Basis points by which it differs from what was quoted, rounded towards zero at two decimals; negative: less.',
    { example: -1.25 },
  ),
  versusSimulationBps: numberOrNull(
    'Basis points by which it differs from what the wallet received in the simulation; a taxed token shows its tax.',
    { example: 0 },
  ),
  blocksLater: integer('Blocks between the simulation and the swap.', { example: 1 }),
}) {}

/** What one build promised and, once the swap was seen on chain, what it gave. */
export class EvmReceipt extends payload({
  id: text('Id of the build.', { example: '0b9c6a52-3a0e-4b57-8f1d-9b1c2d3e4f50', format: 'uuid' }),
  quoteId: text('The quote it was built from.', { example: '5f0c2f7e-6f3b-4a53-9d0e-2f1f6a3b9c11', format: 'uuid' }),
  chain: chainSlug(),
  wallet: text('The wallet that signs.', {
    pattern: '^0x[0-9a-f]{40}$',
    example: '0x28c6c06298d514db089934071355e5743bf21d60',
  }),
  recipient: text('Who gets the output.', {
    pattern: '^0x[0-9a-f]{40}$',
    example: '0x28c6c06298d514db089934071355e5743bf21d60',
  }),
  inputMint: text('Lower-case address; the native coin is 0xeee…e.', {
    pattern: '^0x[0-9a-f]{40}$',
    example: '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',
  }),
  outputMint: text('Lower-case address; the native coin is 0xeee…e.', {
    pattern: '^0x[0-9a-f]{40}$',
    example: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
  }),
  inAmount: text('Base units that go in. Decimal digits.', { pattern: '^\\d+$', example: '1000000000000000000' }),
  quotedOut: text('Output that was quoted, base units. Decimal digits.', { pattern: '^\\d+$', example: '2513420000' }),
  simulatedOut: text('Output of the build’s simulation, base units. Decimal digits.', {
    pattern: '^\\d+$',
    example: '2513420000',
  }),
  floor: text('Output below which the chain refuses the swap, base units. Decimal digits.', {
    pattern: '^\\d+$',
    example: '2500852900',
  }),
  slippageBps: integer('Slippage of the build.', { example: 50 }),
  dex: text('Label of the venue.', { example: 'Uniswap V3' }),
  venueId: text('Id of the venue.', { example: EXAMPLE_VENUE }),
  pools: textList('Pools of the route, in order.'),
  quoteBlock: object(() => EvmReceiptBlock, 'Block the quote was priced at.'),
  buildBlock: object(() => EvmReceiptBlock, 'Block of the simulation.'),
  builtAt: text('When it was built.', { example: '2026-11-22T13:59:00.000Z', format: 'date-time' }),
  deadline: text('After it the chain refuses the swap.', { example: '2026-11-22T14:04:00.000Z', format: 'date-time' }),
  state: text<(typeof receiptStates)[number]>(
    'built: not seen on chain yet. executed: seen; a reorganization that takes it away makes it built again. expired: in no block up to the deadline.',
    { enum: [...receiptStates] },
  ),
  executed: objectOrNull(() => EvmExecution, 'null unless executed.'),
}) {}

/** Over every receipt that the parameters take, whatever the page. */
class EvmReceiptSummary extends ReceiptSummaryBody {}

export class EvmReceiptsAnswer extends payload({
  data: list(() => EvmReceipt, 'Newest first.'),
  next: textOrNull('Cursor of the next page; null: the list ends here.', { example: null }),
  summary: object(() => EvmReceiptSummary, 'Over the whole list.'),
}) {}
