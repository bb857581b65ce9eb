import { object, text, textList, textOrNull } from '../field.js';

/** Every `error` of the EVM routes; key and limit errors have a body of their own. */
export const evmErrorCodes = [
  ...['bad_request', 'zero_amount', 'quote_mismatch', 'unknown_dex', 'unsupported', 'no_route', 'not_found'],
  ...['quote_expired', 'simulation_failed', 'quote_moved', 'too_large', 'low_liquidity', 'insufficient_funds'],
  ...['fee_on_transfer', 'token_not_transferable', 'internal', 'not_ready', 'rpc'],
] as const;

/** Why the router declines. */
export class EvmErrorBody {
  @text('One of a closed list of codes.', { enum: [...evmErrorCodes], example: 'bad_request' })
  error!: string;

  @text('What to change, as a sentence; `request_timeout` to the letter when the request was cut.', {
    example: 'amount must be a whole number of base units',
  })
  reason!: string;
}

export class EvmNotReadyBody {
  @text('Always not_ready.', { enum: ['not_ready'] })
  error!: 'not_ready';

  @textList('Every reason, as sentences; for people, not for programs.')
  reasons!: string[];
}

export class EvmLiquidity {
  @text('The most that a route takes, base units. Decimal digits.', {
    pattern: '^\\d+$',
    example: '250000000000000000000',
  })
  maxInAmount!: string;

  @text('Token that it is of: `inputMint`.', {
    pattern: '^0x[0-9a-f]{40}$',
    example: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
  })
  mint!: string;

  @textOrNull(
    'The amount at which the impact of the best route reaches 5000 basis points. Null: it never does, or at once.',
  )
  sensibleInAmount!: string | null;
}

export class EvmLowLiquidityBody {
  @text('Always low_liquidity.', { enum: ['low_liquidity'] })
  error!: 'low_liquidity';

  @text('What to change, as a sentence.', { example: 'amount must be a whole number of base units' })
  reason!: string;

  @object(() => EvmLiquidity, 'How much would have a route.')
  liquidity!: EvmLiquidity;
}
