import { flag, integer, list, object, objectOrNull, text, textList } from '../field.js';
import { SolQuote } from './quote-body.js';

const KEY = '^[1-9A-HJ-NP-Za-km-z]{32,44}$';
const DIGITS = '^\\d+$';
const EXAMPLE_KEY = '7vNQuTqLxHJBgaBgzWmmiBsrgGjQPxWrMAtiqmkMn4bT';
const lamports = (description: string, example: string) =>
  text(`${description} Lamports, decimal digits.`, { pattern: DIGITS, example });

export class SolAccountMeta {
  @text('Address.', { pattern: KEY, example: EXAMPLE_KEY })
  pubkey!: string;

  @flag('Whether it signs.')
  isSigner!: boolean;

  @flag('Whether it is written.')
  isWritable!: boolean;
}

export class SolInstruction {
  @text('Address of the program.', { pattern: KEY, example: 'TidepooLSwap1111111111111111111111111111111' })
  programId!: string;

  @list(() => SolAccountMeta, 'Its accounts, in order.')
  accounts!: SolAccountMeta[];

  @text('Its data, base64.', { example: 'AQAAypo7AAAAAA==' })
  data!: string;
}

/** What goes into the header of a v1 transaction; there are no compute-budget instructions. */
export class SolTransactionConfig {
  @integer('Most compute units.', { example: 42_000, minimum: 1, maximum: 1_400_000 })
  computeUnitLimit!: number;

  @integer('Most bytes of accounts that may be loaded.', { example: 98_304, minimum: 1, maximum: 67_108_864 })
  loadedAccountsDataSizeLimit!: number;

  @integer('Priority fee of the whole transaction.', { example: 5_000, minimum: 0 })
  priorityFeeLamports!: number;
}

export class SolCosts {
  @lamports('Of the signature.', '5000')
  networkFeeLamports!: string;

  @lamports('Of the priority.', '5000')
  priorityFeeLamports!: string;

  @lamports('Deposits of the token accounts that are made and stay.', '2039280')
  rentLamports!: string;

  @lamports('All together.', '2049280')
  totalLamports!: string;
}

/** What the transaction did at the head, with the wallet's own state. */
export class SolSimulation {
  @integer('Slot that it ran on.', { example: 312_000_000 })
  slot!: number;

  @text('What left the wallet, base units. Decimal digits.', { pattern: DIGITS, example: '1000000000' })
  inAmount!: string;

  @text('What reached it, base units. Decimal digits.', { pattern: DIGITS, example: '149500000' })
  outAmount!: string;

  @text('The platform fee, base units. Decimal digits.', { pattern: DIGITS, example: '0' })
  feeAmount!: string;

  @integer('Compute units that it used.', { example: 36_000 })
  computeUnits!: number;

  @integer('Bytes of accounts that it loaded.', { example: 61_000 })
  loadedAccountsDataSize!: number;
}

export class SolSwapInstructionsAnswer {
  @list(() => SolInstruction, 'Always empty: limits and fees are in the header of the transaction.')
  computeBudgetInstructions!: SolInstruction[];

  @list(() => SolInstruction, 'Make the token accounts that are missing.')
  setupInstructions!: SolInstruction[];

  @object(() => SolInstruction, 'The swap: a call of the deployed swap program.')
  swapInstruction!: SolInstruction;

  @objectOrNull(() => SolInstruction, 'Always null: coins are wrapped and unwrapped inside of the swap.')
  cleanupInstruction!: SolInstruction | null;

  @list(() => SolInstruction, 'Always empty.')
  otherInstructions!: SolInstruction[];

  @textList('Always empty: v1 transactions have no look-up tables.')
  addressLookupTableAddresses!: string[];

  @object(() => SolTransactionConfig, 'For the header of the transaction.')
  transactionConfig!: SolTransactionConfig;

  @integer('The least output that the program accepts, base units; exact beyond 2^53.', {
    example: 148_752_500,
    format: 'uint64',
  })
  minReturn!: number;

  @integer('The most input that it takes, base units; exact beyond 2^53.', { example: 1_000_000_000, format: 'uint64' })
  maxAmountIn!: number;

  @integer('Compute units that the simulation used.', { example: 36_000 })
  computeUnits!: number;

  @integer('Bytes of accounts that it loaded.', { example: 61_000 })
  loadedAccountsDataSize!: number;

  @object(() => SolCosts, 'What the transaction costs the wallet besides the input.')
  costs!: SolCosts;

  @text('A recent blockhash.', { pattern: KEY, example: 'EkSnNWid2cvwEVnVx9aBqawnmiCNiDgp3gUdkDPTKN1N' })
  blockhash!: string;

  @integer('Block height up to which a transaction with it can land.', { example: 290_000_150 })
  lastValidBlockHeight!: number;

  @object(() => SolSimulation, 'What the instructions did at the head.')
  simulation!: SolSimulation;
}

export class SolSwapAnswer {
  @text('The unsigned v1 transaction, base64; its signatures are zeros.', { example: 'gQEABQ0AAAA=' })
  swapTransaction!: string;

  @integer('Block height up to which it can land.', { example: 290_000_150 })
  lastValidBlockHeight!: number;

  @integer('Priority fee in its header.', { example: 5_000 })
  prioritizationFeeLamports!: number;

  @integer('Compute-unit limit in its header.', { example: 42_000 })
  computeUnitLimit!: number;

  @object(() => SolQuote, 'The quote that was built; one that came without an id has one now.')
  quoteResponse!: SolQuote;

  @object(() => SolSimulation, 'What it did at the head.')
  simulation!: SolSimulation;
}
