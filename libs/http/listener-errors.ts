import type { DeclaredError } from './route-declaration.js';

/** What a listener itself refuses, whatever the route; the codes are those of problem.ts. */
export const requestErrors: readonly DeclaredError[] = [
  {
    status: 400,
    code: 'bad_request',
    meaning: 'the request is no HTTP that can be read, or its header host is missing.',
  },
  { status: 414, code: 'too_large', meaning: 'the address is longer than 16,384 bytes.' },
  { status: 431, code: 'too_large', meaning: 'the headers are longer than 16,384 bytes.' },
];

export const lateRequest: DeclaredError = {
  status: 408,
  code: 'timeout',
  meaning: 'the head or the body did not arrive within 10 s.',
};

export const largeBody: DeclaredError = {
  status: 413,
  code: 'too_large',
  meaning: 'the body is larger than 262,144 bytes.',
};
