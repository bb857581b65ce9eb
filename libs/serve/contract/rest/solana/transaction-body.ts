import { optionalField, payload } from '../../schema/property.js';
import { integer, integerOrNull, list, object, text, textList } from '../field.js';
import { SolInstruction, SolTransactionConfig } from './swap-body.js';

const KEY = '^[1-9A-HJ-NP-Za-km-z]{32,44}$';

export class SolTransactionRequest extends payload({
  payer: text('Base58 address of the account that pays the fee; the first signer.', {
    pattern: KEY,
    example: '7vNQuTqLxHJBgaBgzWmmiBsrgGjQPxWrMAtiqmkMn4bT',
  }),
  instructions: list(
    () => SolInstruction,
    'At most 64, none of the compute-budget program: what it says is in `transactionConfig`.',
  ),
  transactionConfig: optionalField<object>({
    type: 'object',
    description:
      'Limits and fee for the header: `computeUnitLimit` (without it 200,000 for each instruction, at most 1,400,000), `loadedAccountsDataSizeLimit` (64 MiB), `priorityFeeLamports` (0), `heapSize`.',
    examples: [{ computeUnitLimit: 60_000, priorityFeeLamports: 5_000 }],
  }),
  blockhash: optionalField<string>({
    type: 'string',
    description: 'Base58; the newest confirmed one without it.',
    examples: ['EkSnNWid2cvwEVnVx9aBqawnmiCNiDgp3gUdkDPTKN1N'],
  }),
  encoding: optionalField<'base64' | 'base58'>({
    type: 'string',
    enum: ['base64', 'base58'],
    default: 'base64',
    description: 'Of the answer.',
  }),
}) {}

export class SolTransactionsRequest extends payload({
  transactions: list(() => SolTransactionRequest, '1 to 20 of them; those without a blockhash share one.'),
}) {}

export class SolTransaction extends payload({
  transaction: text('The unsigned v1 transaction; its signatures are zeros.', { example: 'gQEABQ0AAAA=' }),
  encoding: text<'base64' | 'base58'>('How it is written.', { enum: ['base64', 'base58'] }),
  version: integer<1>('Always 1.', { example: 1, enum: [1] }),
  size: integer('Its bytes, at most 4,096.', { example: 412 }),
  accountKeys: textList('Its account keys in their order, at most 64; the payer is the first.'),
  blockhash: text('The blockhash in it.', { pattern: KEY, example: 'EkSnNWid2cvwEVnVx9aBqawnmiCNiDgp3gUdkDPTKN1N' }),
  lastValidBlockHeight: integerOrNull('Block height up to which it can land; null where the blockhash was given.', {
    example: 290_000_150,
  }),
  transactionConfig: object(() => SolTransactionConfig, 'The limits in its header.'),
}) {}

export class SolTransactionsAnswer extends payload({
  transactions: list(() => SolTransaction, 'In the order of the request.'),
}) {}
