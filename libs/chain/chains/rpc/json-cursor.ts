/**
 * A place in the bytes of a JSON text, moved by readers that know what usually comes. Whatever they do not expect ends
 * the reading with UNEXPECTED, and JSON.parse decides.
 */
export const UNEXPECTED = new Error('not the usual answer');

export const [QUOTE, BACKSLASH, COMMA, COLON, OPEN, CLOSE, LIST, END] = [...'"\\,:{}[]'].map((sign) =>
  sign.charCodeAt(0),
) as [number, number, number, number, number, number, number, number];

export const IS_SPACE = new Uint8Array(256);
for (const space of ' \t\r\n') IS_SPACE[space.charCodeAt(0)] = 1;

export class JsonCursor {
  protected at = 0;

  constructor(protected readonly bytes: Buffer) {}

  /** After a value of a list or an object: whether another one follows. */
  protected more(close: number): boolean {
    this.space();
    const sign = this.bytes[this.at++];
    if (sign === COMMA) return true;
    if (sign === close) return false;
    throw UNEXPECTED;
  }

  /** Right after an opening sign: whether nothing is in between. */
  protected closes(close: number): boolean {
    this.space();
    if (this.bytes[this.at] !== close) return false;
    this.at++;
    return true;
  }

  protected expect(sign: number): void {
    if (this.bytes[this.at] !== sign) {
      this.space();
      if (this.bytes[this.at] !== sign) throw UNEXPECTED;
    }
    this.at++;
  }

  protected space(): void {
    while (IS_SPACE[this.bytes[this.at]!] === 1) this.at++;
  }
}
