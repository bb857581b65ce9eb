/** Something that has written nothing of what it was given in this turn. */
export interface Unwritten {
  flush(): void;
}

/**
 * What was sent in one turn of the event loop leaves at its end, in one write a connection. The more work a turn has, the more
 * frames share a write; no timer holds anything back.
 */
export class WriteRound {
  private waiting: Unwritten[] = [];

  add(connection: Unwritten): void {
    if (this.waiting.length === 0) setImmediate(this.run);
    this.waiting.push(connection);
  }

  private readonly run = (): void => {
    const { waiting } = this;
    this.waiting = [];
    for (const connection of waiting) connection.flush();
  };
}
