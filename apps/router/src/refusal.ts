import { TidepoolError } from '#libs/core/errors.js';

/** The reasons for which the router refuses a request, whatever the transport. */
export type RefusalCode =
  | 'bad_request'
  | 'no_route'
  | 'quote_expired'
  | 'simulation_failed'
  | 'quote_moved'
  | 'low_liquidity'
  | 'insufficient_funds'
  | 'fee_on_transfer'
  | 'token_not_transferable'
  | 'not_ready';

/** A refusal; the message tells the caller what to change. A transport maps the code to a status of its own. */
export class Refusal extends TidepoolError {
  constructor(
    override readonly code: RefusalCode,
    message: string,
    /** Fields that an answer shows besides the code and the message. */
    readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    super(code, message);
  }
}

export const noRoute = (message: string) => new Refusal('no_route', message);

export const quoteExpired = () =>
  new Refusal('quote_expired', 'this quote is unknown here or has expired: ask for a new one');

export const notReady = (reasons: readonly string[]) => new Refusal('not_ready', reasons.join('; '), { reasons });
