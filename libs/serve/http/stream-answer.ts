import type { ServerResponse } from 'node:http';

/**
 * An answer without an end of its own. Its head is sent at once; from then on the response belongs to `start`, which
 * writes and ends it. Exactly one of `start` and `discard` is called (a HEAD request has no body to write).
 */
export class StreamAnswer {
  constructor(
    readonly headers: Readonly<Record<string, string>>,
    readonly start: (response: ServerResponse) => void,
    readonly discard: () => void,
  ) {}
}
