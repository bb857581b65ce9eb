import { payload } from '../../schema/property.js';
import { object, text, textList, textOrNull } from '../field.js';

/** Every `error` of the EVM routes; key and limit errors have a body of their own. */
export const evmErrorCodes = [
  ...['bad_request', 'zero_amount', 'quote_mismatch', 'unknown_dex', 'unsupported', 'no_route', 'not_found'],
  ...['quote_expired', 'simulation_failed', 'quote_moved', 'too_large', 'low_liquidity', 'insufficient_funds'],
  ...['fee_on_transfer', 'token_not_transferable', 'internal', 'not_ready', 'rpc'],
] as const;

/** Why the router declines. */
export class EvmErrorBody extends payload({
  error: text('One of a closed list of codes.', { enum: [...evmErrorCodes], example: 'bad_request' }),
  reason: text('What to change, as a sentence; `request_timeout` to the letter when the request was cut.', {
    example: 'amount must be a whole number of base units',
  }),
}) {}

export class EvmNotReadyBody extends payload({
  error: text<'not_ready'>('Always not_ready.', { enum: ['not_ready'] }),
  reasons: textList('Every reason, as sentences; for people, not for programs.'),
}) {}

class EvmLiquidity extends payload({
  maxInAmount: text('The most that a route takes, base units. Decimal digits.', {
    pattern: '^\\d+$',
    example: '250000000000000000000',
  }),
  mint: text('Token that it is of: `inputMint`.', {
    pattern: '^0x[0-9a-f]{40}$',
    example: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
  }),
  sensibleInAmount: textOrNull(
    'The amount at which the impact of the best route reaches 5000 basis points. Null: it never does, or at once.',
  ),
}) {}

export class EvmLowLiquidityBody extends payload({
  error: text<'low_liquidity'>('Always low_liquidity.', { enum: ['low_liquidity'] }),
  reason: text('What to change, as a sentence.', { example: 'amount must be a whole number of base units' }),
  liquidity: object(() => EvmLiquidity, 'How much would have a route.'),
}) {}
