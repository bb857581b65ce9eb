import { type JsonSchema, plainProperty } from '../../schema/property.js';
import { integer, integerOrNull, list, object, text, textList } from '../field.js';
import { SolInstruction, SolTransactionConfig } from './swap-body.js';

const KEY = '^[1-9A-HJ-NP-Za-km-z]{32,44}$';
const optional = (schema: JsonSchema) => plainProperty(schema, true);

export class SolTransactionRequest {
  @text('Base58 address of the account that pays the fee; the first signer.', {
    pattern: KEY,
    example: '7vNQuTqLxHJBgaBgzWmmiBsrgGjQPxWrMAtiqmkMn4bT',
  })
  payer!: string;

  @list(() => SolInstruction, 'At most 64, none of the compute-budget program: what it says is in `transactionConfig`.')
  instructions!: SolInstruction[];

  @optional({
    type: 'object',
    description:
      'Limits and fee for the header: `computeUnitLimit` (without it 200,000 for each instruction, at most 1,400,000), `loadedAccountsDataSizeLimit` (64 MiB), `priorityFeeLamports` (0), `heapSize`.',
    examples: [{ computeUnitLimit: 60_000, priorityFeeLamports: 5_000 }],
  })
  transactionConfig?: object;

  @optional({
    type: 'string',
    description: 'Base58; the newest confirmed one without it.',
    examples: ['EkSnNWid2cvwEVnVx9aBqawnmiCNiDgp3gUdkDPTKN1N'],
  })
  blockhash?: string;

  @optional({ type: 'string', enum: ['base64', 'base58'], default: 'base64', description: 'Of the answer.' })
  encoding?: 'base64' | 'base58';
}

export class SolTransactionsRequest {
  @list(() => SolTransactionRequest, '1 to 20 of them; those without a blockhash share one.')
  transactions!: SolTransactionRequest[];
}

export class SolTransaction {
  @text('The unsigned v1 transaction; its signatures are zeros.', { example: 'gQEABQ0AAAA=' })
  transaction!: string;

  @text('How it is written.', { enum: ['base64', 'base58'] })
  encoding!: 'base64' | 'base58';

  @integer('Always 1.', { example: 1, enum: [1] })
  version!: 1;

  @integer('Its bytes, at most 4,096.', { example: 412 })
  size!: number;

  @textList('Its account keys in their order, at most 64; the payer is the first.')
  accountKeys!: string[];

  @text('The blockhash in it.', { pattern: KEY, example: 'EkSnNWid2cvwEVnVx9aBqawnmiCNiDgp3gUdkDPTKN1N' })
  blockhash!: string;

  @integerOrNull('Block height up to which it can land; null where the blockhash was given.', { example: 290_000_150 })
  lastValidBlockHeight!: number | null;

  @object(() => SolTransactionConfig, 'The limits in its header.')
  transactionConfig!: SolTransactionConfig;
}

export class SolTransactionsAnswer {
  @list(() => SolTransaction, 'In the order of the request.')
  transactions!: SolTransaction[];
}
