import { object, text, textList, textOrNull } from '../field.js';

/** Why the router declines. */
export class EvmErrorBody {
  @text('One of a closed list of codes.', { example: 'bad_request' })
  error!: string;

  @text('What to change, as a sentence; `request_timeout` to the letter when the request was cut.')
  reason!: string;
}

export class EvmNotReadyBody {
  @text('Always not_ready.', { enum: ['not_ready'] })
  error!: 'not_ready';

  @textList('Every reason, as sentences; for people, not for programs.')
  reasons!: string[];
}

export class EvmLiquidity {
  @text('The most that a route takes, base units.')
  maxInAmount!: string;

  @text('Token that it is of: `inputMint`.')
  mint!: string;

  @textOrNull(
    'The amount at which the impact of the best route reaches 5000 basis points. Null: it never does, or at once.',
  )
  sensibleInAmount!: string | null;
}

export class EvmLowLiquidityBody {
  @text('Always low_liquidity.', { enum: ['low_liquidity'] })
  error!: 'low_liquidity';

  @text('What to change, as a sentence.')
  reason!: string;

  @object(() => EvmLiquidity, 'How much would have a route.')
  liquidity!: EvmLiquidity;
}
