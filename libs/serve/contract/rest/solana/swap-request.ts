import { leaveOut, optionalField, payload, plainField } from '../../schema/property.js';
import { object } from '../field.js';
import { SolQuote } from './quote-body.js';

/** A quote that comes back; clients that know Jupiter's fields alone drop ours, then it is priced again. */
class SolReturnedQuote extends SolQuote {}
leaveOut(SolReturnedQuote, [
  ...['quoteId', 'expiresAt', 'programId', 'candidates', 'impactBps', 'inUsd', 'outUsd', 'warnings'],
  ...['contextSlot', 'timeTaken', 'priceImpactPct', 'platformFee'],
]);

const account = (description: string) => optionalField<string>({ type: 'string', description });

export class SolSwapRequest extends payload({
  quoteResponse: object<SolQuote>(
    () => SolReturnedQuote,
    'The quote as it was answered. With `quoteId` it is compared with the held one field by field; without, it is priced again along its own pools, and its own `otherAmountThreshold` is the bound.',
  ),
  userPublicKey: plainField<string>({
    type: 'string',
    description: 'Base58 address of the wallet that signs and pays.',
    examples: ['7vNQuTqLxHJBgaBgzWmmiBsrgGjQPxWrMAtiqmkMn4bT'],
  }),
  wrapAndUnwrapSol: optionalField<boolean>({
    type: 'boolean',
    default: true,
    description:
      'Whether the coin on either side is the one in the wallet; false: in its token account of the wrapped coin.',
  }),
  feeAccount: account('Token account that gets the platform fee; needed where the quote has one.'),
  destinationTokenAccount: account('Token account of `outputMint` that gets the output; the wallet’s own without it.'),
  prioritizationFeeLamports: optionalField<number | string | object>({
    oneOf: [{ type: 'integer', minimum: 0 }, { type: 'string' }, { type: 'object' }],
    description:
      'Priority fee of the whole transaction in lamports, or `auto`, or `{priorityLevelWithMaxLamports: {priorityLevel: medium, high or veryHigh, maxLamports}}`. Without it, what three quarters of the recent fees for the same accounts are below, at most 5,000,000.',
    examples: ['auto'],
  }),
  computeUnitPriceMicroLamports: optionalField<number | string>({
    oneOf: [{ type: 'integer', minimum: 0 }, { type: 'string' }],
    description: 'The same as micro-lamports a compute unit; not together with the other.',
    examples: [1000],
  }),
  asLegacyTransaction: optionalField<boolean>({
    type: 'boolean',
    default: false,
    description: 'true is `unsupported`: transactions are v1.',
  }),
  txVersion: optionalField<number>({
    type: 'integer',
    default: 1,
    description: '1 or absent; anything else is `unsupported`.',
  }),
}) {}
