import { property } from '../../schema/property.js';
import { flag, object, text } from '../field.js';

/** Every code of the launch routes. */
const launchErrorCodes = [
  ...['bad_request', 'unauthorized', 'rate_limited', 'not_found', 'too_large', 'timeout', 'not_wired'],
  ...['insufficient_funds', 'simulation_failed', 'not_ready', 'rpc', 'internal'],
] as const;

export class LaunchErrorDetail {
  @text('Permanent code.', { enum: [...launchErrorCodes], example: 'bad_request' })
  code!: string;

  @text('What is wrong and what to change.', { example: 'symbol must have 1 to 10 bytes' })
  message!: string;
}

const none = () => property({ optional: false, schema: () => ({ type: 'null' }), example: () => null });

/** Every error of the launch routes, except 405, which has no body. */
export class LaunchErrorBody {
  @flag('False.', { enum: [false] })
  ok!: false;

  @none()
  data!: null;

  @object(() => LaunchErrorDetail, 'The error.')
  error!: LaunchErrorDetail;

  @none()
  nextCursor!: null;
}
