import { payload } from '../../schema/property.js';
import { flag, object, text } from '../field.js';

const hostErrorCodes = [
  ...['bad_request', 'unauthorized', 'rate_limited', 'not_found', 'too_large', 'timeout'],
  ...['not_ready', 'rpc', 'upstream_unavailable', 'bundle_refused', 'insufficient_funds', 'internal'],
] as const;

class HostErrorDetail extends payload({
  code: text('Permanent code.', { enum: [...hostErrorCodes], example: 'bad_request' }),
  message: text('What is wrong and what to change.', { example: 'transactions must be a list of 1 to 5 texts' }),
}) {}

/** Every error of the Solana utilities and of the bundle relay, except 405, which has no body. */
export class HostErrorBody extends payload({
  success: flag<false>('False.', { enum: [false] }),
  error: object(() => HostErrorDetail, 'The error.'),
}) {}
