/** Something that has written nothing of what it was given since it was added. */
export interface Unwritten {
  flush(): void;
}

/** Connections that are written in one turn: a few milliseconds. */
export const AT_ONCE = 256;

/**
 * What was sent in one turn of the event loop leaves at its end, in one write a connection; no timer holds anything back. A crowd is
 * written over several turns, in the order in which it was sent to. What comes for a connection before its write leaves with it: the more
 * there is to do, the more frames share a write, and none of them waits for two rounds through the crowd.
 */
export class WriteRound {
  private waiting: Unwritten[] = [];
  /** How many of them are written. */
  private written = 0;

  add(connection: Unwritten): void {
    if (this.waiting.length === 0) setImmediate(this.run);
    this.waiting.push(connection);
  }

  private readonly run = (): void => {
    const { waiting } = this;
    const end = Math.min(this.written + AT_ONCE, waiting.length);
    while (this.written < end) waiting[this.written++]!.flush();
    if (this.written < waiting.length) {
      setImmediate(this.run);
      // Those that are written are let go before they are more than those that wait.
      if (this.written * 2 < waiting.length) return;
      this.waiting = waiting.slice(this.written);
    } else this.waiting = [];
    this.written = 0;
  };
}
