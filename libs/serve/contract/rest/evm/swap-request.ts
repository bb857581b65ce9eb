import { extendPayload, leaveOut, optionalField, payload, plainField } from '../../schema/property.js';
import { object } from '../field.js';
import { EvmQuote } from './quote-body.js';
import { EvmQuoteParameters } from './quote-request.js';

/** A quote that comes back: what the first version of the contract did not have may be missing. */
class EvmReturnedQuote extends EvmQuote {}
leaveOut(EvmReturnedQuote, ['impactBps', 'inUsd', 'outUsd', 'warnings']);

/** What a build takes in addition to a quote or the parameters of one. */
class EvmSwapOptions extends payload({
  userPublicKey: plainField<string>({
    type: 'string',
    pattern: '^0[xX][0-9a-fA-F]{40}$',
    description: 'Address of the wallet that will sign.',
    examples: ['0x28c6c06298d514db089934071355e5743bf21d60'],
  }),
  recipient: optionalField<string>({
    type: 'string',
    description:
      'Who gets the output; the wallet without it. Not the zero address, a reserved one (0x1 to 0xffff) or the router of the swap.',
  }),
  deadlineSeconds: optionalField<number>({
    type: 'integer',
    minimum: 1,
    maximum: 3_600,
    default: 300,
    description: 'How long the swap may be mined, from the build on.',
  }),
}) {}

export class EvmSwapOfQuote extends extendPayload(EvmSwapOptions, {
  quoteResponse: object<EvmQuote>(
    () => EvmReturnedQuote,
    'The quote as it was answered. Compared with the held one field by field as JSON values: order and unknown fields do not matter. It counts over quote parameters in the same body.',
  ),
  slippageBps: optionalField<number>({
    type: 'integer',
    minimum: 0,
    maximum: 10_000,
    description: 'Another slippage than the quote’s: the floor follows it.',
  }),
}) {}

/** Without a quote: its parameters come with the wallet, and a quote is made, held and built at once. */
export class EvmSwapOfParameters extends extendPayload(EvmQuoteParameters, {
  userPublicKey: plainField<string>({
    type: 'string',
    pattern: '^0[xX][0-9a-fA-F]{40}$',
    description: 'Address of the wallet that will sign.',
    examples: ['0x28c6c06298d514db089934071355e5743bf21d60'],
  }),
  recipient: optionalField<string>({ type: 'string', description: 'Who gets the output; the wallet without it.' }),
  deadlineSeconds: optionalField<number>({
    type: 'integer',
    minimum: 1,
    maximum: 3_600,
    default: 300,
    description: 'As with a quote.',
  }),
}) {}
