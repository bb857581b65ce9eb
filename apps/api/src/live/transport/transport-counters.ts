/** Counters of the live transports, all since the start of the process. */
export class TransportCounters {
  framesOut = 0;
  bytesOut = 0;
  framesIn = 0;
  bytesIn = 0;
  /** Connections that were refused because the listener was full. */
  busy = 0;
  /** Connections that gave no sign of life. */
  dead = 0;
  /** Connections whose key was taken back. */
  revoked = 0;
  /** Connections whose account had no credits left. */
  unpaid = 0;
}
