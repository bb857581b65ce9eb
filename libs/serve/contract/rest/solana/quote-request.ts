import { type JsonSchema, optionalField, payload, plainField } from '../../schema/property.js';

/** Parameters of a Solana quote by Jupiter's names, the same in a query and in a JSON body. */
const listOfVenues = (description: string) =>
  optionalField<string>({
    oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
    description,
    examples: ['Tidepool AMM'],
  });
const wholeNumber = (description: string, extra: JsonSchema) =>
  optionalField<number>({ type: 'integer', minimum: 0, description, ...extra });
const truth = (description: string) => optionalField<boolean>({ type: 'boolean', default: false, description });

export class SolQuoteParameters extends payload({
  inputMint: plainField<string>({
    type: 'string',
    description:
      'Token that goes in: base58 of 32 bytes; `native`, `SOL` or 0xeee…e for the coin, which is wrapped on the way.',
    examples: ['So11111111111111111111111111111111111111112'],
  }),
  outputMint: plainField<string>({
    type: 'string',
    description: 'Token that comes out, spelled in the same ways; another one than `inputMint`.',
    examples: ['EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGkZwyTDt1v'],
  }),
  amount: plainField<string>({
    oneOf: [{ type: 'string' }, { type: 'integer' }],
    description:
      'Decimal digits, base units of the exact side: of `inputMint`, or of `outputMint` for ExactOut. 1 to 2^64 - 1. In a body also a JSON integer, which is read exactly.',
    examples: ['1000000000'],
  }),
  slippageBps: wholeNumber('How far the other side may move against you, in basis points.', {
    maximum: 10_000,
    default: 50,
  }),
  swapMode: optionalField<string>({
    type: 'string',
    enum: ['ExactIn', 'ExactOut', 'exactIn', 'exactOut'],
    default: 'ExactIn',
    description: 'Which side `amount` is of.',
  }),
  maxHops: wholeNumber('Most pools of a route. 0 counts as 1, more than 4 as 4.', { default: 3 }),
  onlyDirectRoutes: truth('The same as `maxHops=1`; counts over `maxHops`.'),
  dexes: listOfVenues(
    'Venues that may be used, by label, id or alias: separated by commas, repeated, or a list in a body. Case and punctuation do not matter. Unknown names beside known ones are ignored; only unknown ones are `unknown_dex`.',
  ),
  includeDex: listOfVenues('Another name of `dexes`; the venues of both count.'),
  excludeDexes: listOfVenues(
    'Venues that may not be used, in the same format. Unknown names are ignored; all venues: `no_route`.',
  ),
  excludeDex: listOfVenues('Another name of `excludeDexes`; the venues of both count.'),
  platformFeeBps: wholeNumber(
    'Fee for the one who asks, in basis points: of the output, of the input for ExactOut. At most what the config of the swap program allows. A build then needs `feeAccount`.',
    { maximum: 10_000, default: 0 },
  ),
  feeBps: wholeNumber('Another name of `platformFeeBps`.', { maximum: 10_000, default: 0 }),
  asLegacyTransaction: truth('false or absent: transactions are v1. true is `unsupported`.'),
  txVersion: wholeNumber('1 or absent: transactions are v1. Anything else is `unsupported`.', { default: 1 }),
}) {}
