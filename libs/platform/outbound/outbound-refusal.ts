import { TidepoolError } from '#libs/core/errors.js';

/** Why nothing was fetched. `network` alone is worth another try. */
export type RefusalReason =
  | 'url'
  | 'scheme'
  | 'credentials'
  | 'port'
  | 'host'
  | 'address'
  | 'redirects'
  | 'status'
  | 'type'
  | 'size'
  | 'time'
  | 'network';

/** The message names what is wrong and never what was read there. */
export class OutboundRefusal extends TidepoolError {
  constructor(
    readonly reason: RefusalReason,
    message: string,
  ) {
    super('outbound_refused', message);
    this.name = 'OutboundRefusal';
  }
}
