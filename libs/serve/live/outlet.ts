/**
 * One client as the engine sees it; the transports implement it. The engine never waits for a client: what a transport
 * has not written yet is bounded by `bufferedBytes`, and a client that does not read gets `lagged` or is cut.
 */
export interface OutFrame {
  readonly type: string;
  /** Null on frames that carry no data of a log. */
  readonly epoch: string | null;
  readonly seq: number | null;
  /** The whole frame as JSON. Subscribers whose id is written in the same way are given the very same object. */
  readonly text: string;
}

export interface Outlet {
  /** Never throws, never waits. */
  send(frame: OutFrame): void;
  /** What the transport has accepted but not yet written. */
  bufferedBytes(): number;
  end(code: number, reason: string): void;
}

/** Codes the engine ends an outlet with, in the range that the WebSocket protocol leaves to applications and its own. */
export const endCodes = {
  /** The service restarts: connect again. */
  restart: 1012,
  /** The only subscription of a stream cannot be loaded now: try again. */
  unavailable: 1013,
  /** The only subscription of a stream was refused; the error frame before it says why. */
  refused: 4400,
  /** The client did not read for too long. */
  slow: 4408,
} as const;
