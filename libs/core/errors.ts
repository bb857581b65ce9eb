/** An error whose code is permanent: tests, clients and runbooks may rely on it. The message may change. */
export class TidepoolError extends Error {
  constructor(
    readonly code: string,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
    this.name = 'TidepoolError';
  }
}

/** Another writer took over this stage: stop, do not retry. */
export class FencedError extends TidepoolError {
  constructor(writer: string) {
    super('fenced', `writer ${writer} was fenced by a newer one`);
  }
}

/** Bytes that no version of a decoder accepts. Goes to the dead-letter topic; everything else is retried. */
export class UndecodableError extends TidepoolError {
  constructor(what: string, reason: string) {
    super('undecodable', `${what}: ${reason}`);
  }
}

/** The log does not continue where it must: a gap in seq, a hash that differs from what was folded before. */
export class LogBrokenError extends TidepoolError {
  constructor(message: string) {
    super('log_broken', message);
  }
}
