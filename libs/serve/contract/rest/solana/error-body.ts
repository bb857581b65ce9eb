import { evmErrorCodes } from '../evm/error-body.js';
import { object, optionalText, text, textList, textOrNull } from '../field.js';

const QUOTE_ID =
  'Of the quote, or of the request that asked for one; from the moment on that the parameters were read.';
const EXAMPLE_ID = '5f0c2f7e-6f3b-4a53-9d0e-2f1f6a3b9c11';

/** Why a Solana route of the router declines. */
export class SolErrorBody {
  @text('One of a closed list of codes.', { enum: [...evmErrorCodes], example: 'bad_request' })
  error!: string;

  @text('What to change, as a sentence; `request_timeout` to the letter when the request was cut.', {
    example: 'amount must be decimal digits, in base units',
  })
  reason!: string;

  @optionalText(QUOTE_ID, { format: 'uuid', example: EXAMPLE_ID })
  quoteId?: string;
}

export class SolNotReadyBody {
  @text('Always not_ready.', { enum: ['not_ready'] })
  error!: 'not_ready';

  @textList('Every reason, as sentences; for people, not for programs.')
  reasons!: string[];

  @optionalText(QUOTE_ID, { format: 'uuid', example: EXAMPLE_ID })
  quoteId?: string;
}

export class SolLiquidity {
  @text('The most that a route takes, base units of `mint`. Decimal digits.', {
    pattern: '^\\d+$',
    example: '250000000000',
  })
  maxInAmount!: string;

  @optionalText('Of an ExactOut: the most that a route gives, base units of `outputMint`. Decimal digits.', {
    pattern: '^\\d+$',
    example: '37000000000',
  })
  maxOutAmount?: string;

  @text('Token that `maxInAmount` is of: `inputMint`.', { example: 'So11111111111111111111111111111111111111112' })
  mint!: string;

  @textOrNull(
    'The amount at which the impact of that route reaches 5000 basis points. Null: it never does, or at once.',
  )
  sensibleInAmount!: string | null;
}

export class SolLowLiquidityBody {
  @text('Always low_liquidity.', { enum: ['low_liquidity'] })
  error!: 'low_liquidity';

  @text('What to change, as a sentence.', { example: 'routes exist, but none of them takes that much' })
  reason!: string;

  @object(() => SolLiquidity, 'How much would have a route.')
  liquidity!: SolLiquidity;

  @optionalText(QUOTE_ID, { format: 'uuid', example: EXAMPLE_ID })
  quoteId?: string;
}
