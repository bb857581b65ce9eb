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

export const lateRequest: DeclaredError = {
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
