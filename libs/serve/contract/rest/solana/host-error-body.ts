import { flag, object, text } from '../field.js';

const hostErrorCodes = [
  ...['bad_request', 'unauthorized', 'rate_limited', 'not_found', 'too_large', 'timeout'],
  ...['not_ready', 'rpc', 'upstream_unavailable', 'bundle_refused', 'insufficient_funds', 'internal'],
] as const;

export class HostErrorDetail {
  @text('Permanent code.', { enum: [...hostErrorCodes], example: 'bad_request' })
  code!: string;

  @text('What is wrong and what to change.', { example: 'transactions must be a list of 1 to 5 texts' })
  message!: string;
}

/** Every error of the Solana utilities and of the bundle relay, except 405, which has no body. */
export class HostErrorBody {
  @flag('False.', { enum: [false] })
  success!: false;

  @object(() => HostErrorDetail, 'The error.')
  error!: HostErrorDetail;
}
