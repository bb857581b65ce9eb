import { integer, list, numberOrNull, object, objectOrNull, text, textList, textOrNull } from '../field.js';
import { choice, cursorText, limit, word } from '../query-field.js';

export const receiptStates = ['built', 'executed', 'expired'] as const;

export class EvmReceiptsQuery {
  @word('chain', 'Slug, alias or id of a chain; without it all chains.', 100)
  chain?: string;

  @word('wallet', 'Only builds for this wallet, a 0x address.', 100)
  wallet?: string;

  @choice('state', receiptStates, 'Only receipts in this state.')
  state?: 'built' | 'executed' | 'expired';

  @limit(50, 200)
  limit: number = 50;

  @cursorText()
  cursor?: string;
}

export class EvmReceiptBlock {
  @integer('Number of the block.')
  number!: number;

  @text('Its hash.')
  hash!: string;
}

/** The swap as the chain has it. */
export class EvmExecution {
  @text('Hash of the transaction.')
  tx!: string;

  @integer('Block it is in.')
  block!: number;

  @text('Hash of that block.')
  blockHash!: string;

  @text('Time of that block.', { format: 'date-time' })
  time!: string;

  @text('What the last pool gave, base units, before a tax that the token takes itself.')
  outAmount!: string;

  @numberOrNull(
    'Basis points by which it differs from what was quoted, rounded towards zero at two decimals; negative: less.',
    { example: -1.25 },
  )
  differenceBps!: number | null;

  @numberOrNull(
    'Basis points by which it differs from what the wallet received in the simulation; a taxed token shows its tax.',
  )
  versusSimulationBps!: number | null;

  @integer('Blocks between the simulation and the swap.')
  blocksLater!: number;
}

/** What one build promised and, once the swap was seen on chain, what it gave. */
export class EvmReceipt {
  @text('Id of the build.', { format: 'uuid' })
  id!: string;

  @text('The quote it was built from.', { format: 'uuid' })
  quoteId!: string;

  @text('Slug of the chain.')
  chain!: string;

  @text('The wallet that signs.')
  wallet!: string;

  @text('Who gets the output.')
  recipient!: string;

  @text('Lower-case address; the native coin is 0xeee…e.')
  inputMint!: string;

  @text('Lower-case address; the native coin is 0xeee…e.')
  outputMint!: string;

  @text('Base units that go in.')
  inAmount!: string;

  @text('Output that was quoted, base units.')
  quotedOut!: string;

  @text('Output of the build’s simulation, base units.')
  simulatedOut!: string;

  @text('Output below which the chain refuses the swap, base units.')
  floor!: string;

  @integer('Slippage of the build.')
  slippageBps!: number;

  @text('Label of the venue.')
  dex!: string;

  @text('Id of the venue.')
  venueId!: string;

  @textList('Pools of the route, in order.')
  pools!: string[];

  @object(() => EvmReceiptBlock, 'Block the quote was priced at.')
  quoteBlock!: EvmReceiptBlock;

  @object(() => EvmReceiptBlock, 'Block of the simulation.')
  buildBlock!: EvmReceiptBlock;

  @text('When it was built.', { format: 'date-time' })
  builtAt!: string;

  @text('After it the chain refuses the swap.', { format: 'date-time' })
  deadline!: string;

  @text(
    'built: not seen on chain yet. executed: seen; a reorganization that takes it away makes it built again. expired: in no block up to the deadline.',
    { enum: [...receiptStates] },
  )
  state!: (typeof receiptStates)[number];

  @objectOrNull(() => EvmExecution, 'null unless executed.')
  executed!: EvmExecution | null;
}

/** Over every receipt that the parameters take, whatever the page. */
export class EvmReceiptSummary {
  @integer('Receipts.')
  count!: number;

  @integer('Of these executed.')
  executed!: number;

  @numberOrNull('Median of `differenceBps`.')
  medianDifferenceBps!: number | null;

  @numberOrNull('Lowest `differenceBps`.')
  worstDifferenceBps!: number | null;
}

export class EvmReceiptsAnswer {
  @list(() => EvmReceipt, 'Newest first.')
  data!: EvmReceipt[];

  @textOrNull('Cursor of the next page; null: the list ends here.')
  next!: string | null;

  @object(() => EvmReceiptSummary, 'Over the whole list.')
  summary!: EvmReceiptSummary;
}
