import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { JSON_TYPE } from './answer.js';
import { HttpProblem } from './problem.js';
import { commonHeaders } from './send-answer.js';

export interface BrokenRequestRules {
  readonly errorBody: (problem: HttpProblem) => unknown;
  /** What a client is answered whose request does not arrive in time. */
  readonly timeout: () => HttpProblem;
}

interface ClientError extends Error {
  code?: string;
}

/** What never becomes a request of a route: it is answered on its connection, in the envelope of the listener. */
export class BrokenRequests {
  private readonly newest = new WeakMap<Socket, IncomingMessage>();

  constructor(private readonly rules: BrokenRequestRules) {}

  /** A request whose head was read. */
  began(request: IncomingMessage): void {
    this.newest.set(request.socket, request);
  }

  answer(error: ClientError, socket: Socket): void {
    const { code } = error;
    const late = code === 'ERR_HTTP_REQUEST_TIMEOUT';
    // A body that does not come: its request has its answer already.
    if (!socket.writable || (late && this.newest.get(socket)?.complete === false)) {
      socket.destroy();
      return;
    }
    const problem = late ? this.rules.timeout() : problemOf(error);
    const body = Buffer.from(JSON.stringify(this.rules.errorBody(problem)), 'utf8');
    const headers = {
      ...commonHeaders({ id: randomUUID() }),
      ...problem.headers,
      'content-type': JSON_TYPE,
      'content-length': body.length,
      connection: 'close',
    };
    const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(
      Buffer.concat([
        Buffer.from(`HTTP/1.1 ${problem.status} ${REASONS[problem.status]}\r\n${head.join('')}\r\n`),
        body,
      ]),
    );
  }
}

const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  414: 'URI Too Long',
  431: 'Request Header Fields Too Large',
  503: 'Service Unavailable',
};

const problemOf = ({ code }: ClientError): HttpProblem =>
  code === 'HPE_HEADER_OVERFLOW'
    ? headersTooLarge()
    : new HttpProblem(400, 'bad_request', 'this is not an HTTP request');

export const uriTooLong = (): HttpProblem =>
  new HttpProblem(414, 'too_large', 'the address of the request is too long');

export const headersTooLarge = (): HttpProblem =>
  new HttpProblem(431, 'too_large', 'the headers of the request are too long');
