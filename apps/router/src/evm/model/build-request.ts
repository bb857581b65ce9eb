import type { Hex } from '#libs/core/ids.js';
import type { IssuedQuote } from './evm-quote.js';

/** A quote to build, and for whom. */
export interface BuildRequest {
  /** The quote as it was held. */
  readonly quote: IssuedQuote;
  readonly wallet: Hex;
  /** null: the wallet. */
  readonly recipient: Hex | null;
  /** null: the quote's own. */
  readonly slippageBps: number | null;
  readonly deadlineSeconds: number;
}
