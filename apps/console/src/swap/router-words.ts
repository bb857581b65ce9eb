import type { ApiError } from '#libs/serve/client/api-error.js';
import { RouterError } from '#libs/serve/client/router-error.js';

/** A refusal in words: what it is, what the router says to change, and what this page can do about it. */
export interface RouterWords {
  readonly title: string;
  readonly lines: readonly string[];
  /** `wait`: it may pass by itself. `change`: the user has to change something. `renew`: another quote helps. */
  readonly remedy: 'wait' | 'change' | 'renew';
}

const titles: Readonly<Record<string, string>> = {
  no_route: 'No route between these tokens',
  low_liquidity: 'No route takes that much',
  zero_amount: 'The amount is zero',
  quote_expired: 'The quote has expired',
  quote_mismatch: 'The router does not recognise its quote',
  quote_moved: 'The pools have moved past the minimum',
  simulation_failed: 'The swap would fail',
  insufficient_funds: 'The wallet does not hold enough',
  fee_on_transfer: 'This token takes a tax when it moves',
  token_not_transferable: 'This token cannot be moved',
  not_ready: 'The router is not ready',
  rpc: 'The chain’s node did not answer',
  rate_limited: 'Too many requests with this key',
  unknown_dex: 'No such venue on this chain',
  unsupported: 'The router does not do that',
};

const renewing = new Set(['quote_expired', 'quote_mismatch', 'quote_moved']);

export function routerWords(error: ApiError): RouterWords {
  if (error.status === null) {
    return {
      title: error.code === 'timeout' ? 'The router takes too long' : 'The router cannot be reached',
      lines: ['The page tries again by itself.'],
      remedy: 'wait',
    };
  }
  const known = titles[error.code];
  const reasons = error instanceof RouterError && error.reasons.length > 0 ? error.reasons : [error.message];
  const request = known === undefined && error.requestId !== null ? [`Request ${error.requestId}.`] : [];
  const remedy = renewing.has(error.code) ? 'renew' : error.retryable ? 'wait' : 'change';
  return { title: known ?? 'The router refuses this', lines: [...reasons.map(sentence), ...request], remedy };
}

/** What the router says is a clause or a sentence. */
function sentence(text: string): string {
  if (text === 'request_timeout') return 'It took longer than ten seconds.';
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
