import { payload } from '../../schema/property.js';
import { evmErrorCodes } from '../evm/error-body.js';
import { object, optionalText, text, textList, textOrNull } from '../field.js';

const QUOTE_ID =
  'Of the quote, or of the request that asked for one; from the moment on that the parameters were read.';
const EXAMPLE_ID = '5f0c2f7e-6f3b-4a53-9d0e-2f1f6a3b9c11';

/** Why a Solana route of the router declines. */
export class SolErrorBody extends payload({
  error: text('One of a closed list of codes.', { enum: [...evmErrorCodes], example: 'bad_request' }),
  reason: text('What to change, as a sentence; `request_timeout` to the letter when the request was cut.', {
    example: 'amount must be decimal digits, in base units',
  }),
  quoteId: optionalText(QUOTE_ID, { format: 'uuid', example: EXAMPLE_ID }),
}) {}

export class SolNotReadyBody extends payload({
  error: text<'not_ready'>('Always not_ready.', { enum: ['not_ready'] }),
  reasons: textList('Every reason, as sentences; for people, not for programs.'),
  quoteId: optionalText(QUOTE_ID, { format: 'uuid', example: EXAMPLE_ID }),
}) {}

class SolLiquidity extends payload({
  maxInAmount: text('The most that a route takes, base units of `mint`. Decimal digits.', {
    pattern: '^\\d+$',
    example: '250000000000',
  }),
  maxOutAmount: optionalText(
    'Of an ExactOut: the most that a route gives, base units of `outputMint`. Decimal digits.',
    {
      pattern: '^\\d+$',
      example: '37000000000',
    },
  ),
  mint: text('Token that `maxInAmount` is of: `inputMint`.', {
    example: 'So11111111111111111111111111111111111111112',
  }),
  sensibleInAmount: textOrNull(
    'The amount at which the impact of that route reaches 5000 basis points. Null: it never does, or at once.',
  ),
}) {}

export class SolLowLiquidityBody extends payload({
  error: text<'low_liquidity'>('Always low_liquidity.', { enum: ['low_liquidity'] }),
  reason: text('What to change, as a sentence.', { example: 'routes exist, but none of them takes that much' }),
  liquidity: object(() => SolLiquidity, 'How much would have a route.'),
  quoteId: optionalText(QUOTE_ID, { format: 'uuid', example: EXAMPLE_ID }),
}) {}
