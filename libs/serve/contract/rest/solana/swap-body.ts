import { payload } from '../../schema/property.js';
import { flag, integer, list, object, objectOrNull, text, textList } from '../field.js';
import { SolQuote } from './quote-body.js';

const KEY = '^[1-9A-HJ-NP-Za-km-z]{32,44}$';
const DIGITS = '^\\d+$';
const EXAMPLE_KEY = '7vNQuTqLxHJBgaBgzWmmiBsrgGjQPxWrMAtiqmkMn4bT';
const lamports = (description: string, example: string) =>
  text(`${description} Lamports, decimal digits.`, { pattern: DIGITS, example });

class SolAccountMeta extends payload({
  pubkey: text('Address.', { pattern: KEY, example: EXAMPLE_KEY }),
  isSigner: flag('Whether it signs.'),
  isWritable: flag('Whether it is written.'),
}) {}

export class SolInstruction extends payload({
  programId: text('Address of the program.', { pattern: KEY, example: 'TidepooLSwap1111111111111111111111111111111' }),
  accounts: list(() => SolAccountMeta, 'Its accounts, in order.'),
  data: text('Its data, base64.', { example: 'AQAAypo7AAAAAA==' }),
}) {}

/** What goes into the header of a v1 transaction; there are no compute-budget instructions. */
export class SolTransactionConfig extends payload({
  computeUnitLimit: integer('Most compute units.', { example: 42_000, minimum: 1, maximum: 1_400_000 }),
  loadedAccountsDataSizeLimit: integer('Most bytes of accounts that may be loaded.', {
    example: 98_304,
    minimum: 1,
    maximum: 67_108_864,
  }),
  priorityFeeLamports: integer('Priority fee of the whole transaction.', { example: 5_000, minimum: 0 }),
}) {}

class SolCosts extends payload({
  networkFeeLamports: lamports('Of the signature.', '5000'),
  priorityFeeLamports: lamports('Of the priority.', '5000'),
  rentLamports: lamports('Deposits of the token accounts that are made and stay.', '2039280'),
  totalLamports: lamports('All together.', '2049280'),
}) {}

/** What the transaction did at the head, with the wallet's own state. */
export class SolSimulation extends payload({
  slot: integer('Slot that it ran on.', { example: 312_000_000 }),
  inAmount: text('What left the wallet, base units. Decimal digits.', { pattern: DIGITS, example: '1000000000' }),
  outAmount: text('What reached it, base units. Decimal digits.', { pattern: DIGITS, example: '149500000' }),
  feeAmount: text('The platform fee, base units. Decimal digits.', { pattern: DIGITS, example: '0' }),
  computeUnits: integer('Compute units that it used.', { example: 36_000 }),
  loadedAccountsDataSize: integer('Bytes of accounts that it loaded.', { example: 61_000 }),
}) {}

export class SolSwapInstructionsAnswer extends payload({
  computeBudgetInstructions: list(
    () => SolInstruction,
    'Always empty: limits and fees are in the header of the transaction.',
  ),
  setupInstructions: list(() => SolInstruction, 'Make the token accounts that are missing.'),
  swapInstruction: object(() => SolInstruction, 'The swap: a call of the deployed swap program.'),
  cleanupInstruction: objectOrNull(
    () => SolInstruction,
    'Always null: coins are wrapped and unwrapped inside of the swap.',
  ),
  otherInstructions: list(() => SolInstruction, 'Always empty.'),
  addressLookupTableAddresses: textList('Always empty: v1 transactions have no look-up tables.'),
  transactionConfig: object(() => SolTransactionConfig, 'For the header of the transaction.'),
  minReturn: integer('The least output that the program accepts, base units; exact beyond 2^53.', {
    example: 148_752_500,
    format: 'uint64',
  }),
  maxAmountIn: integer('The most input that it takes, base units; exact beyond 2^53.', {
    example: 1_000_000_000,
    format: 'uint64',
  }),
  computeUnits: integer('Compute units that the simulation used.', { example: 36_000 }),
  loadedAccountsDataSize: integer('Bytes of accounts that it loaded.', { example: 61_000 }),
  costs: object(() => SolCosts, 'What the transaction costs the wallet besides the input.'),
  blockhash: text('A recent blockhash.', { pattern: KEY, example: 'EkSnNWid2cvwEVnVx9aBqawnmiCNiDgp3gUdkDPTKN1N' }),
  lastValidBlockHeight: integer('Block height up to which a transaction with it can land.', { example: 290_000_150 }),
  simulation: object(() => SolSimulation, 'What the instructions did at the head.'),
}) {}

export class SolSwapAnswer extends payload({
  swapTransaction: text('The unsigned v1 transaction, base64; its signatures are zeros.', { example: 'gQEABQ0AAAA=' }),
  lastValidBlockHeight: integer('Block height up to which it can land.', { example: 290_000_150 }),
  prioritizationFeeLamports: integer('Priority fee in its header.', { example: 5_000 }),
  computeUnitLimit: integer('Compute-unit limit in its header.', { example: 42_000 }),
  quoteResponse: object(() => SolQuote, 'The quote that was built; one that came without an id has one now.'),
  simulation: object(() => SolSimulation, 'What it did at the head.'),
}) {}
