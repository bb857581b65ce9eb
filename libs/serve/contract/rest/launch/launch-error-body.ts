import { payload, plainField } from '../../schema/property.js';
import { flag, object, text } from '../field.js';

/** Every code of the launch routes. */
const launchErrorCodes = [
  ...['bad_request', 'unauthorized', 'rate_limited', 'not_found', 'too_large', 'timeout', 'not_wired'],
  ...['insufficient_funds', 'simulation_failed', 'not_ready', 'rpc', 'internal'],
] as const;

class LaunchErrorDetail extends payload({
  code: text('Permanent code.', { enum: [...launchErrorCodes], example: 'bad_request' }),
  message: text('What is wrong and what to change.', { example: 'symbol must have 1 to 10 bytes' }),
}) {}

const none = () => plainField<null>({ type: 'null' });

/** Every error of the launch routes, except 405, which has no body. */
export class LaunchErrorBody extends payload({
  ok: flag<false>('False.', { enum: [false] }),
  data: none(),
  error: object(() => LaunchErrorDetail, 'The error.'),
  nextCursor: none(),
}) {}
