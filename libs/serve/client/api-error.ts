/**
 * Everything that goes wrong between a client and the service. `code` is what a program decides on: the codes of the
 * service, or `network`, `timeout` and `unreadable` for what never became an answer. A message never contains the key.
 */
export class ApiError extends Error {
  constructor(
    readonly code: string,
    message: string,
    /** HTTP status; null when there was no answer. */
    readonly status: number | null = null,
    /** Seconds the service asks to wait before the same request is tried again; null when it does not say. */
    readonly retryAfter: number | null = null,
    /** What the operator finds the request by in the log. */
    readonly requestId: string | null = null,
  ) {
    super(message);
    this.name = 'ApiError';
  }

  /** True when the same request may succeed later. */
  get retryable(): boolean {
    return this.status === null || this.status === 429 || this.status === 502 || this.status === 503;
  }
}
