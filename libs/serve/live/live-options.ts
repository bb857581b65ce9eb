/** Bounds of the engine. Whatever a client does, the engine holds no more than these allow. */
export interface LiveLimits {
  /** Subscriptions of one connection. */
  subscriptions: number;
  /** Bytes that a transport may have waiting before deltas are dropped. */
  bufferBytes: number;
  /** A transport that stays full for so long is ended. */
  drainMs: number;
  /** Snapshots that one connection may have under way. */
  loads: number;
  /** Bytes of deltas that may wait for a snapshot that is being loaded. */
  heldBytes: number;
  /** Positions of one key whose deltas may wait to be made. */
  waitingDeltas: number;
  /** First pause before data that could not be loaded is tried again; it doubles up to twenty times as much. */
  retryMs: number;
}

export const defaultLimits: LiveLimits = {
  subscriptions: 200,
  bufferBytes: 1024 * 1024,
  drainMs: 30_000,
  loads: 8,
  heldBytes: 4 * 1024 * 1024,
  waitingDeltas: 1_000,
  retryMs: 500,
};

export interface LiveLogger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Runs something later; the answer takes it back. */
export interface LiveClock {
  after(ms: number, run: () => void): () => void;
}

export const systemLiveClock: LiveClock = {
  after(ms, run) {
    const timer = setTimeout(run, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
