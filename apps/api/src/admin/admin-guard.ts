import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { presentedKey } from '#libs/serve/accounts/key-source.js';
import { type HttpProblem, unauthorized } from '#libs/serve/http/problem.js';

const digest = (text: string): Buffer => createHash('sha256').update(text, 'utf8').digest();

/**
 * Lets in requests with the admin key. It comes in a header alone: addresses are kept in logs and histories. Comparing takes
 * the same time wherever the two differ.
 */
export class AdminGuard {
  private readonly wanted: Buffer;

  constructor(key: string) {
    this.wanted = digest(key);
  }

  check({ rawHeaders }: IncomingMessage): HttpProblem | null {
    const given = presentedKey({ rawHeaders, query: '' });
    if (given === null) {
      return unauthorized('the admin key is needed: send it as the header x-api-key or as Authorization: Bearer');
    }
    return timingSafeEqual(digest(given), this.wanted) ? null : unauthorized('this is not the admin key');
  }
}
