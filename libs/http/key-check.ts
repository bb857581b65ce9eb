import type { IncomingMessage } from 'node:http';
import type { Accounts } from '#libs/accounts/account.js';
import { presentedKey } from '#libs/accounts/key-source.js';
import { type HttpProblem, unauthorized } from './problem.js';

/** The key of a request that an account has, or the problem that the client gets instead. */
export function checkKey(
  request: IncomingMessage,
  accounts: Accounts,
  names?: readonly string[],
): { key: string } | { refusal: HttpProblem } {
  const url = request.url!;
  const mark = url.indexOf('?');
  const key = presentedKey({ rawHeaders: request.rawHeaders, query: mark < 0 ? '' : url.slice(mark + 1) }, names);
  if (key === null) return { refusal: unauthorized('an API key is needed: send it as the header x-api-key') };
  return accounts.authenticate(key) === null
    ? { refusal: unauthorized('this API key is unknown: send a valid one as the header x-api-key') }
    : { key };
}
