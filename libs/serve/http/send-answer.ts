import type { FastifyReply, FastifyRequest } from 'fastify';
import { ByteChunks } from '#libs/core/byte-chunks.js';
import { type Answer, chooseEncoding, matchesEtag } from './answer.js';
import type { HttpLogger } from './http-logger.js';
import { settleCredits } from './pass.js';
import { StreamAnswer } from './stream-answer.js';

const EXPOSED =
  'ratelimit-limit, ratelimit-remaining, ratelimit-reset, retry-after, x-request-id, x-credits-remaining, etag';

/** What every response has, whatever it says. */
export const commonHeaders = ({ id }: Pick<FastifyRequest, 'id'>): Record<string, string> => ({
  'x-request-id': id,
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED,
});

/**
 * Sends what handlers answer. Plain answers of one turn of the event loop are written at its end one after the other: a
 * write wakes its reader, and requests that came together are all computed before the first reader takes the processor.
 * Order is kept.
 */
export class AnswerSender {
  private waiting: Waiting[] = [];

  constructor(private readonly logger: HttpLogger) {}

  /** A promise, unless it is under way already. */
  send(
    request: FastifyRequest,
    reply: FastifyReply,
    answer: Answer | StreamAnswer,
    cacheControl: string | null = null,
  ): Promise<void> | null {
    const unchanged =
      !(answer instanceof StreamAnswer) &&
      answer.etag !== null &&
      matchesEtag(request.headers['if-none-match'], answer.etag);
    const status = answer instanceof StreamAnswer ? 200 : unchanged ? 304 : answer.status;
    const headers = settleCredits(commonHeaders(request), request.raw, status);
    if (cacheControl !== null) headers['cache-control'] = cacheControl;
    if (answer instanceof StreamAnswer) {
      sendStream(request, reply, answer, headers);
      return null;
    }
    for (const name in answer.headers) headers[name] = answer.headers[name]!;
    const { etag, worthCompressing } = answer;
    if (worthCompressing) headers.vary = 'accept-encoding';
    if (etag !== null) {
      headers.etag = etag;
      if (unchanged) {
        reply.headers(headers).code(304).send();
        return null;
      }
    }
    headers['content-type'] = answer.contentType;
    const encoding = worthCompressing ? chooseEncoding(acceptEncoding(request)) : null;
    if (encoding === null) {
      this.put({ request, reply, answer, headers });
      return null;
    }
    headers['content-encoding'] = encoding;
    return answer.encode(encoding).then((bytes) => {
      reply.headers(headers).code(answer.status).send(bytes);
    });
  }

  private put(answer: Waiting): void {
    if (this.waiting.length === 0) setImmediate(() => this.flush());
    this.waiting.push(answer);
  }

  private flush(): void {
    const now = this.waiting;
    this.waiting = [];
    for (const each of now) {
      try {
        write(each);
      } catch (error) {
        // Of this answer alone: the others of the turn belong to other clients.
        this.logger.error({ err: error, requestId: each.request.id }, 'an answer could not be sent');
        each.reply.raw.destroy();
      }
    }
  }
}

/** Neither a body nor its length and type. */
const NO_CONTENT = 204;

interface Waiting {
  request: FastifyRequest;
  reply: FastifyReply;
  answer: Answer;
  headers: Record<string, string | number>;
}

/**
 * Past Fastify's own sending, which looks at a body in many ways that it cannot have here. Most text is ASCII and is
 * marked so: its bytes need no conversion.
 */
function write({ reply, answer, headers }: Waiting): void {
  const { body, length } = answer;
  reply.hijack();
  if (answer.status === NO_CONTENT) {
    delete headers['content-type'];
    reply.raw.writeHead(NO_CONTENT, headers).end();
    return;
  }
  headers['content-length'] = length;
  reply.raw.writeHead(answer.status, headers);
  if (typeof body === 'string') reply.raw.end(body, length === body.length ? 'latin1' : 'utf8');
  else if (body instanceof ByteChunks) {
    reply.raw.cork();
    for (const part of body.list) reply.raw.write(part);
    reply.raw.end();
  } else reply.raw.end(body);
}

/** The head goes out at once; what follows is the stream's own. */
function sendStream(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: StreamAnswer,
  headers: Record<string, string>,
): void {
  for (const [name, value] of Object.entries(answer.headers)) headers[name] = value;
  if (request.method === 'HEAD') {
    answer.discard();
    reply.headers(headers).code(200).send();
    return;
  }
  reply.hijack();
  reply.raw.writeHead(200, headers);
  reply.raw.flushHeaders();
  // The end of a client that went before is over: no event tells of it.
  if (reply.raw.destroyed) answer.discard();
  else answer.start(reply.raw);
}

const acceptEncoding = (request: FastifyRequest): string | undefined => {
  const value = request.headers['accept-encoding'];
  return typeof value === 'string' ? value : undefined;
};
