import { plainProperty } from '../../schema/property.js';
import { flag, integer, number, object, text, textList } from '../field.js';
import { requiredWord } from '../query-field.js';
import { transactionEncodings } from './bundle-body.js';

const MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const PROGRAM = '675kPX9MHTjS2zt1qfr1NYHuzeLXfQM9H24wFSUt1Mp8';

export class MintPath {
  @requiredWord('mint', 'Mint of the token, base58.', 4_096, { examples: [MINT] })
  mint!: string;
}

export class LegacyQuote {
  @text('Mint of the token.', { example: MINT })
  mint!: string;

  @text('Its deepest pool against SOL.', { example: '58oQChx4yWmvKdwLLZzBi4ChoCc2fqCUWBkwMihLYQo2' })
  pool!: string;

  @number('SOL for one whole token, by the state of that pool.', { example: 0.0067 })
  avgPrice!: number;

  @text('Program of the pool.', { example: PROGRAM })
  programId!: string;

  @text('Slot of the state.', { example: '301234567' })
  slot!: string;
}

export class LegacyQuoteAnswer {
  @flag('True.', { enum: [true] })
  success!: true;

  @object(() => LegacyQuote, 'The price.')
  quote!: LegacyQuote;
}

export class ConsolidateBody {
  @textList('1 to 50 wallets that give.', { example: 'vines1vzrYbzLMRdu58ou5XTby4qAqVRLmqo36NKPTg' })
  wallets!: string[];

  @text('Wallet that receives.', { example: '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM' })
  receiver!: string;

  @integer('Share of each wallet’s balance.', { minimum: 1, maximum: 100, example: 100 })
  percentage!: number;

  @plainProperty(
    { type: 'integer', minimum: 0, maximum: 1_000_000_000_000, default: 0, description: 'Tip of each transaction.' },
    true,
  )
  tipLamports?: number;

  @plainProperty(
    {
      type: 'string',
      enum: [...transactionEncodings],
      default: 'base58',
      description: 'How transactions are written.',
    },
    true,
  )
  encoding?: (typeof transactionEncodings)[number];
}

export class ConsolidateAnswer {
  @flag('True.', { enum: [true] })
  success!: true;

  @textList('Unsigned v1 transactions, in the order of the wallets; each wallet signs its own.', { example: 'gQEAAA…' })
  transactions!: string[];
}
