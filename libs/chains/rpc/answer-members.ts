import {
  BACKSLASH,
  CLOSE,
  COLON,
  COMMA,
  END,
  IS_SPACE,
  JsonCursor,
  LIST,
  OPEN,
  QUOTE,
  UNEXPECTED,
} from './json-cursor.js';

/** What a node said to one call: the bytes of its result, or of its error object. */
export type RawAnswer =
  | { readonly result: Buffer; readonly error?: undefined }
  | { readonly error: Buffer; readonly result?: undefined };

/**
 * The result or the error of a JSON-RPC answer as bytes of it. Only the members of the answer are looked at: what is inside
 * of a value is passed over, so that a large one costs a walk and no objects. null: this is no answer to one call.
 */
export function answerMembers(body: Buffer): RawAnswer | null {
  try {
    return new AnswerReader(body).read();
  } catch (error) {
    if (error === UNEXPECTED) return null;
    throw error;
  }
}

const RESULT = Buffer.from('"result"');
const ERROR = Buffer.from('"error"');

class AnswerReader extends JsonCursor {
  read(): RawAnswer | null {
    let result: Buffer | null = null;
    let error: Buffer | null = null;
    this.space();
    this.expect(OPEN);
    if (this.closes(CLOSE)) return null;
    do {
      this.space();
      const name = this.value();
      if (name[0] !== QUOTE) throw UNEXPECTED;
      this.expect(COLON);
      this.space();
      const value = this.value();
      if (name.equals(RESULT)) result = value;
      else if (name.equals(ERROR)) error = value;
    } while (this.more(CLOSE));
    this.space();
    if (this.at !== this.bytes.length) throw UNEXPECTED;
    if (error !== null && error[0] === OPEN) return { error };
    return result === null ? null : { result };
  }

  /** The bytes of the value that begins here; the cursor is behind it then. */
  private value(): Buffer {
    const { bytes } = this;
    const start = this.at;
    const first = bytes[start];
    if (first === QUOTE) this.string();
    else if (first === OPEN || first === LIST) this.nested();
    else {
      for (let sign = bytes[this.at]; isPlain(sign); sign = bytes[++this.at]);
      if (this.at === start) throw UNEXPECTED;
    }
    return bytes.subarray(start, this.at);
  }

  private nested(): void {
    const { bytes } = this;
    let depth = 0;
    for (;;) {
      const sign = bytes[this.at];
      if (sign === undefined) throw UNEXPECTED;
      if (sign === QUOTE) {
        this.string();
        continue;
      }
      this.at++;
      if (sign === OPEN || sign === LIST) depth++;
      else if ((sign === END || sign === CLOSE) && --depth === 0) return;
    }
  }

  /** Past a string: its end is the first quote with an even number of backslashes before it. */
  private string(): void {
    const { bytes } = this;
    const start = this.at;
    for (let from = start + 1; ; ) {
      const quote = bytes.indexOf(QUOTE, from);
      if (quote < 0) throw UNEXPECTED;
      let slashes = 0;
      while (bytes[quote - 1 - slashes] === BACKSLASH) slashes++;
      if (slashes % 2 === 0) {
        this.at = quote + 1;
        return;
      }
      from = quote + 1;
    }
  }
}

const isPlain = (sign: number | undefined): boolean =>
  sign !== undefined && sign !== COMMA && sign !== END && sign !== CLOSE && IS_SPACE[sign] === 0;
