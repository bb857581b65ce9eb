const MOST_KEPT = 16;
const ROOM = 64 * 1024;

/**
 * Buffers for answers, used again after an answer was sent: a node that sends megabytes all the time should not spend
 * its time on new memory. A buffer is never written to while an answer in it is under way.
 */
export class AnswerBuffers {
  private readonly free: Buffer[] = [];

  /** The pieces, which are pure ASCII, one after the other; `done` is called when the answer is not read any more. */
  write(pieces: readonly string[]): { answer: Buffer; done: () => void } {
    let length = 0;
    for (const piece of pieces) length += piece.length;
    const buffer = this.take(length);
    let at = 0;
    for (const piece of pieces) at += buffer.write(piece, at, 'latin1');
    let given = false;
    const done = () => {
      if (!given && this.free.length < MOST_KEPT) this.free.push(buffer);
      given = true;
    };
    return { answer: buffer.subarray(0, length), done };
  }

  private take(length: number): Buffer {
    const index = this.free.findIndex((buffer) => buffer.length >= length);
    if (index >= 0) return this.free.splice(index, 1)[0]!;
    if (this.free.length === MOST_KEPT) this.free.shift();
    return Buffer.allocUnsafeSlow(Math.ceil(length / ROOM) * ROOM);
  }
}
