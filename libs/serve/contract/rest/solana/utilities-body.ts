import { optionalField, payload } from '../../schema/property.js';
import { flag, integer, number, object, text, textList } from '../field.js';
import { requiredWord } from '../query-field.js';
import { transactionEncodings } from './bundle-body.js';

const MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const PROGRAM = '675kPX9MHTjS2zt1qfr1NYHuzeLXfQM9H24wFSUt1Mp8';

export class MintPath {
  @requiredWord('mint', 'Mint of the token, base58.', 4_096, { examples: [MINT] })
  mint!: string;
}

export class LegacyQuote extends payload({
  mint: text('Mint of the token.', { example: MINT }),
  pool: text('Its deepest pool against SOL.', { example: '58oQChx4yWmvKdwLLZzBi4ChoCc2fqCUWBkwMihLYQo2' }),
  avgPrice: number('SOL for one whole token, by the state of that pool.', { example: 0.0067 }),
  programId: text('Program of the pool.', { example: PROGRAM }),
  slot: text('Slot of the state.', { example: '301234567' }),
}) {}

export class LegacyQuoteAnswer extends payload({
  success: flag<true>('True.', { enum: [true] }),
  quote: object(() => LegacyQuote, 'The price.'),
}) {}

export class ConsolidateBody extends payload({
  wallets: textList('1 to 50 wallets that give.', { example: 'vines1vzrYbzLMRdu58ou5XTby4qAqVRLmqo36NKPTg' }),
  receiver: text('Wallet that receives.', { example: '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM' }),
  percentage: integer('Share of each wallet’s balance.', { minimum: 1, maximum: 100, example: 100 }),
  tipLamports: optionalField<number>({
    type: 'integer',
    minimum: 0,
    maximum: 1_000_000_000_000,
    default: 0,
    description: 'Tip of each transaction.',
  }),
  encoding: optionalField<(typeof transactionEncodings)[number]>({
    type: 'string',
    enum: [...transactionEncodings],
    default: 'base58',
    description: 'How transactions are written.',
  }),
}) {}

export class ConsolidateAnswer extends payload({
  success: flag<true>('True.', { enum: [true] }),
  transactions: textList('Unsigned v1 transactions, in the order of the wallets; each wallet signs its own.', {
    example: 'gQEAAA…',
  }),
}) {}
