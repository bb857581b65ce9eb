import { type JsonSchema, optionalField, payload, plainField } from '../../schema/property.js';
import { EXAMPLE_CHAIN } from '../examples.js';

/** Parameters of a quote, the same in a query and in a JSON body. A body also takes the second alternative of a field. */
const listOfVenues = (description: string) =>
  optionalField<string>({
    oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
    description,
    examples: ['Uniswap V3'],
  });
const wholeNumber = (description: string, extra: JsonSchema) =>
  optionalField<number>({ type: 'integer', minimum: 0, description, ...extra });

export class EvmQuoteParameters extends payload({
  chain: optionalField<string>({
    oneOf: [{ type: 'string' }, { type: 'integer' }],
    description:
      'Chain: its slug, an alias or its id, in any case, as `GET /evm/chains` lists them. Needed, unless `chainId` names it; both must agree.',
    examples: [EXAMPLE_CHAIN],
  }),
  chainId: optionalField<string>({
    oneOf: [{ type: 'string' }, { type: 'integer' }],
    description: 'Another name of `chain`.',
    examples: ['1'],
  }),
  inputMint: plainField<string>({
    type: 'string',
    description:
      'Token that goes in: a 0x address in any case, 0xeee…e or `native` for the coin. Coin for wrapped coin and back is quoted one for one, without a pool.',
    examples: ['native'],
  }),
  outputMint: plainField<string>({
    type: 'string',
    description: 'Token that comes out, spelled in the same ways; another one than `inputMint`.',
    examples: ['0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'],
  }),
  amount: plainField<string>({
    oneOf: [{ type: 'string' }, { type: 'integer' }],
    description:
      'Decimal digits, base units of `inputMint` (wei for the coin), 1 to 2^256 - 1. In a body also a JSON integer up to 2^64 - 1, which is read exactly.',
    examples: ['1000000000000000000'],
  }),
  slippageBps: wholeNumber('How far the output may fall below the quote, in basis points.', {
    maximum: 10_000,
    default: 50,
  }),
  swapMode: optionalField<string>({
    type: 'string',
    enum: ['ExactIn', 'exactIn'],
    default: 'ExactIn',
    description: 'Exact inputs only; ExactOut is `unsupported`.',
  }),
  maxHops: wholeNumber(
    'Most pools of a route. 0 counts as 1, more than 3 as 3: one pool, one token in between, or two.',
    {
      default: 2,
    },
  ),
  onlyDirectRoutes: optionalField<boolean>({
    type: 'boolean',
    default: false,
    description: 'The same as `maxHops=1`; counts over `maxHops`.',
  }),
  dexes: listOfVenues(
    'Venues that may be used, by label, id or alias: separated by commas, repeated, or a list in a body. Case and punctuation do not matter; a name without its protocol (`uniswap`) is both. Unknown names beside known ones are ignored; only unknown ones are `unknown_dex`. Nothing at all is no limit.',
  ),
  includeDex: listOfVenues('Another name of `dexes`; the venues of both count.'),
  excludeDexes: listOfVenues(
    'Venues that may not be used, in the same format. Unknown names are ignored; all venues: `no_route`.',
  ),
  excludeDex: listOfVenues('Another name of `excludeDexes`; the venues of both count.'),
  platformFeeBps: wholeNumber('0 or absent: there is no platform fee.', { maximum: 0, examples: [0] }),
  feeBps: wholeNumber('Another name of `platformFeeBps`.', { maximum: 0, examples: [0] }),
}) {}
