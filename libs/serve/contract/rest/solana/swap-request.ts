import { type JsonSchema, leaveOut, plainProperty } from '../../schema/property.js';
import { object } from '../field.js';
import { SolQuote } from './quote-body.js';

/** A quote that comes back; clients that know Jupiter's fields alone drop ours, then it is priced again. */
class SolReturnedQuote extends SolQuote {}
leaveOut(SolReturnedQuote, [
  ...['quoteId', 'expiresAt', 'programId', 'candidates', 'impactBps', 'inUsd', 'outUsd', 'warnings'],
  ...['contextSlot', 'timeTaken', 'priceImpactPct', 'platformFee'],
]);

const optional = (schema: JsonSchema) => plainProperty(schema, true);
const account = (description: string) => optional({ type: 'string', description });

export class SolSwapRequest {
  @object(
    () => SolReturnedQuote,
    'The quote as it was answered. With `quoteId` it is compared with the held one field by field; without, it is priced again along its own pools, and its own `otherAmountThreshold` is the bound.',
  )
  quoteResponse!: SolQuote;

  @plainProperty({
    type: 'string',
    description: 'Base58 address of the wallet that signs and pays.',
    examples: ['7vNQuTqLxHJBgaBgzWmmiBsrgGjQPxWrMAtiqmkMn4bT'],
  })
  userPublicKey!: string;

  @optional({
    type: 'boolean',
    default: true,
    description:
      'Whether the coin on either side is the one in the wallet; false: in its token account of the wrapped coin.',
  })
  wrapAndUnwrapSol?: boolean;

  @account('Token account that gets the platform fee; needed where the quote has one.')
  feeAccount?: string;

  @account('Token account of `outputMint` that gets the output; the wallet’s own without it.')
  destinationTokenAccount?: string;

  @optional({
    oneOf: [{ type: 'integer', minimum: 0 }, { type: 'string' }, { type: 'object' }],
    description:
      'Priority fee of the whole transaction in lamports, or `auto`, or `{priorityLevelWithMaxLamports: {priorityLevel: medium, high or veryHigh, maxLamports}}`. Without it, what three quarters of the recent fees for the same accounts are below, at most 5,000,000.',
    examples: ['auto'],
  })
  prioritizationFeeLamports?: number | string | object;

  @optional({
    oneOf: [{ type: 'integer', minimum: 0 }, { type: 'string' }],
    description: 'The same as micro-lamports a compute unit; not together with the other.',
    examples: [1000],
  })
  computeUnitPriceMicroLamports?: number | string;

  @optional({ type: 'boolean', default: false, description: 'true is `unsupported`: transactions are v1.' })
  asLegacyTransaction?: boolean;

  @optional({ type: 'integer', default: 1, description: '1 or absent; anything else is `unsupported`.' })
  txVersion?: number;
}
