import { TidepoolError } from '#libs/core/errors.js';

/** A failure that a client sees: status, permanent code and a message that says what to change. */
export class HttpProblem extends TidepoolError {
  constructor(
    readonly status: number,
    code: string,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
    /** Fields that the body has besides the code and the message, where the host's error body shows such. */
    readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    super(code, message);
    this.name = 'HttpProblem';
  }

  /** The same refusal with more headers. */
  with(headers: Readonly<Record<string, string>>): HttpProblem {
    return new HttpProblem(this.status, this.code, this.message, { ...this.headers, ...headers }, this.details);
  }
}

export const badRequest = (message: string): HttpProblem => new HttpProblem(400, 'bad_request', message);

export const hostMissing = (): HttpProblem => badRequest('the header host is missing');

export const unauthorized = (message: string): HttpProblem => new HttpProblem(401, 'unauthorized', message);

export const notFound = (message: string): HttpProblem => new HttpProblem(404, 'not_found', message);

/** 503 of one chain: try the same request, with the same cursor, again. */
export const upstreamUnavailable = (message: string): HttpProblem =>
  new HttpProblem(503, 'upstream_unavailable', message, { 'retry-after': '2' });

export const tooLarge = (bytes: number): HttpProblem =>
  new HttpProblem(413, 'too_large', `the body is larger than ${bytes} bytes`);

/** A request that does not arrive in time, on a listener that has no other word for it. */
export const requestTimeout = (): HttpProblem =>
  new HttpProblem(408, 'timeout', 'the request did not arrive in time: send it again');

/** A bug or a failure that no client caused: nothing about it leaks but the request's id. */
export const internalProblem = (requestId: string): HttpProblem =>
  new HttpProblem(500, 'internal', `internal error; tell the operator the request id ${requestId}`);
