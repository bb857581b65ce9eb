import { payload } from '../schema/property.js';
import { EXAMPLE_CHAIN } from './examples.js';
import { object, text } from './field.js';

/** Every code of the market-data API and of the key errors of any listener. */
export const errorCodes = [
  ...['bad_request', 'unauthorized', 'rate_limited', 'not_found', 'too_large', 'timeout'],
  ...['upstream_unavailable', 'server_busy', 'internal'],
] as const;

export class ErrorDetail extends payload({
  code: text('Permanent code.', { enum: [...errorCodes], example: 'bad_request' }),
  message: text('What is wrong and what to change.', {
    example: `address must be an address of ${EXAMPLE_CHAIN}: 0x and 40 hex digits`,
  }),
}) {}

/** Every error of the market-data API, except 405, which has no body. */
export class ErrorBody extends payload({
  error: object(() => ErrorDetail, 'The error.'),
}) {}
