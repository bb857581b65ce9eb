import type { DeclaredError } from './route-declaration.js';

/** What a listener itself refuses, whatever the route; the codes are those of problem.ts. */
export const requestErrors: readonly DeclaredError[] = [
  {
    status: 400,
    code: 'bad_request',
    meaning: 'the request is no HTTP that can be read, or its header host is missing.',
    example: 'the header host is missing',
  },
  {
    status: 414,
    code: 'too_large',
    meaning: 'the address is longer than 16,384 bytes.',
    example: 'the address of the request is too long',
  },
  {
    status: 431,
    code: 'too_large',
    meaning: 'the headers are longer than 16,384 bytes.',
    example: 'the headers of the request are too long',
  },
];

const lateRequest: DeclaredError = {
  status: 408,
  code: 'timeout',
  meaning: 'the head or the body did not arrive within 10 s.',
  example: 'the request did not arrive in time: send it again',
};

export const largeBody: DeclaredError = {
  status: 413,
  code: 'too_large',
  meaning: 'the body is larger than 262,144 bytes.',
  example: 'the body is larger than 262144 bytes',
};

/** How a key is refused, on every listener that asks for one. */
export const keyErrors: readonly DeclaredError[] = [
  {
    status: 401,
    code: 'unauthorized',
    meaning: 'the key is missing, unknown or for something else, or its account has no credits left.',
    example: 'an API key is needed: send it as the header x-api-key',
  },
  {
    status: 429,
    code: 'rate_limited',
    meaning: "over the rate of the key's account; try again within a second.",
    example: 'this account may send 20 requests a second: try again in 35 ms',
    retry: true,
  },
];

/** What any request may be answered, whatever its route. */
export const commonErrors: readonly DeclaredError[] = [
  ...requestErrors,
  lateRequest,
  {
    status: 500,
    code: 'internal',
    meaning: 'a bug or a failure of ours; the message has the id of the request.',
    example: 'internal error; tell the operator the request id 5c0f6d1e-8a2b-4c39-9d53-0e2f7b6a1c44',
  },
];
