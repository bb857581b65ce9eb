/** Counters of the live transports, all since the start of the process. */
export interface TransportCounters {
  framesOut: number;
  bytesOut: number;
  framesIn: number;
  bytesIn: number;
  /** Connections that were refused because the listener was full. */
  busy: number;
  /** Connections that gave no sign of life. */
  dead: number;
  /** Connections whose key was taken back. */
  revoked: number;
  /** Connections whose account had no credits left. */
  unpaid: number;
}

export const noCounts = (): TransportCounters => ({
  framesOut: 0,
  bytesOut: 0,
  framesIn: 0,
  bytesIn: 0,
  busy: 0,
  dead: 0,
  revoked: 0,
  unpaid: 0,
});
