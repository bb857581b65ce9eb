import type { Readable } from 'node:stream';
import { badRequest, type HttpProblem, tooLarge } from './problem.js';
import type { RequestClock, RequestLimits } from './request-limits.js';

export interface BodyRules {
  readonly limits: Pick<RequestLimits, 'bodyBytes' | 'bodyMs' | 'drainBytes'>;
  readonly clock: RequestClock;
  /** What a client is answered whose body does not arrive in time. */
  readonly timeout: () => HttpProblem;
}

type Done = (problem: Error | null, body?: Buffer) => void;

/**
 * The bytes of a body. `done` is called once: with the whole body, or with the refusal. A body that is too large is read
 * on, without being kept, to its end or up to `drainBytes`; after a refusal that leaves bytes unread the connection ends.
 */
export function readBody(stream: Readable, { limits, clock, timeout }: BodyRules, done: Done): void {
  const { bodyBytes, bodyMs, drainBytes } = limits;
  let chunks: Buffer[] = [];
  let bytes = 0;
  const cancel = clock.after(bodyMs, () => finish(closing(bytes > bodyBytes ? tooLarge(bodyBytes) : timeout())));
  const finish = (problem: Error | null, body?: Buffer): void => {
    cancel();
    stream.off('data', take).off('end', end).off('error', broken).off('close', broken);
    stream.on('error', () => undefined);
    done(problem, body);
  };
  const take = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes <= bodyBytes) chunks.push(chunk);
    else {
      chunks = [];
      if (bytes > drainBytes) finish(closing(tooLarge(bodyBytes)));
    }
  };
  const end = (): void => {
    if (bytes > bodyBytes) finish(tooLarge(bodyBytes));
    else finish(null, chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, bytes));
  };
  const broken = (): void => finish(badRequest('the body ended before it was complete'));
  stream.on('data', take).on('end', end).on('error', broken).on('close', broken);
}

/** The rest of the request is not read: nothing more can come over its connection. */
const closing = (problem: HttpProblem): HttpProblem => problem.with({ connection: 'close' });
