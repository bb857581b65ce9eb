import type { IncomingMessage } from 'node:http';
import type { CostClass } from '#libs/protocol/accounts/prices.js';
import type { Admission, Caller, QuotaStatus } from '#libs/serve/accounts/account.js';

/** A request that was let in: whose it is, and what its answer says about the account. */
export interface Pass {
  readonly caller: Caller;
  /** Of all that the request took so far. */
  admission: Admission;
  /** Of a stream: the name under which its minutes are counted. */
  readonly route: string;
  /** Takes what calls of these classes cost beyond what the request was let in for; throws the refusal. */
  readonly takeCalls: (calls: readonly CostClass[]) => Promise<void>;
}

const PASS = Symbol('pass');
type Passed = IncomingMessage & { [PASS]?: Pass };

/** null on an open route, and where this instance asks for no keys. */
export const passOf = (request: IncomingMessage): Pass | null => (request as Passed)[PASS] ?? null;

export const attachAdmission = (request: IncomingMessage, pass: Pass): void => {
  (request as Passed)[PASS] = pass;
};

/** What every answer to a keyed request says of its account. */
export const quotaHeaders = (quota: QuotaStatus, credits: number | null): Record<string, string> =>
  addQuotaHeaders({}, quota, credits);

function addQuotaHeaders(headers: Record<string, string>, quota: QuotaStatus, credits: number | null) {
  const { rate, remaining, resetMs } = quota;
  headers['x-credits-remaining'] = credits === null ? 'unlimited' : String(credits);
  if (rate !== null) {
    headers['ratelimit-limit'] = String(rate);
    headers['ratelimit-remaining'] = String(remaining);
    headers['ratelimit-reset'] = String(Math.ceil(resetMs / 1_000));
  }
  return headers;
}

/** Whether an answer is paid: one that was given, and a refusal that took the work of one. */
const isPaid = (status: number, code: string | null = null): boolean =>
  (status >= 200 && status < 300) || status === 409 || status === 422 || code === 'no_route';

/** Ends the account of a request: what its answer costs is known. Adds the headers for it; none on an open route. */
export function settleCredits(
  headers: Record<string, string>,
  request: IncomingMessage,
  status: number,
  code: string | null = null,
): Record<string, string> {
  const pass = passOf(request);
  if (pass === null) return headers;
  const { admission } = pass;
  return addQuotaHeaders(headers, admission.quota, admission.settle(isPaid(status, code)));
}
