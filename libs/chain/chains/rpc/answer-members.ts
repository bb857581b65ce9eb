import { ByteChunks } from '#libs/core/byte-chunks.js';
import { BACKSLASH, CLOSE, COLON, COMMA, END, IS_SPACE, LIST, OPEN, QUOTE, UNEXPECTED } from './json-cursor.js';

/** What a node said to one call: the bytes of its result, or of its error object. */
export type RawAnswer =
  | { readonly result: ByteChunks; readonly error?: undefined }
  | { readonly error: Buffer; readonly result?: undefined };

/**
 * The result or the error of a JSON-RPC answer as bytes of it. Only the members of the answer are looked at: what is inside
 * of a value is passed over, so that a large one costs a walk, no objects and no copy. null: this is no answer to one call.
 */
export function answerMembers(body: ByteChunks): RawAnswer | null {
  try {
    return new AnswerReader(body).read();
  } catch (error) {
    if (error === UNEXPECTED) return null;
    throw error;
  }
}

const RESULT = Buffer.from('"result"');
const ERROR = Buffer.from('"error"');
const EMPTY = Buffer.alloc(0);

/** A place in a body, from part to part. */
class AnswerReader {
  private part = 0;
  private bytes: Buffer;
  /** In the part. */
  private at = 0;
  /** Bytes of the parts before. */
  private before = 0;

  constructor(private readonly body: ByteChunks) {
    this.bytes = body.list[0] ?? EMPTY;
  }

  read(): RawAnswer | null {
    let result: ByteChunks | null = null;
    let error: ByteChunks | null = null;
    this.expect(OPEN);
    if (this.usual() === CLOSE) return null;
    do {
      this.usual();
      const name = this.value().joined();
      if (name[0] !== QUOTE) throw UNEXPECTED;
      this.expect(COLON);
      this.usual();
      const value = this.value();
      if (name.equals(RESULT)) result = value;
      else if (name.equals(ERROR)) error = value;
    } while (this.more());
    if (this.usual() !== undefined) throw UNEXPECTED;
    if (error?.list[0]?.[0] === OPEN) return { error: error.joined() };
    return result === null ? null : { result };
  }

  /** The sign here; undefined at the end. */
  private sign(): number | undefined {
    while (this.at === this.bytes.length) {
      const next = this.body.list[this.part + 1];
      if (next === undefined) return undefined;
      this.before += this.bytes.length;
      this.part++;
      this.bytes = next;
      this.at = 0;
    }
    return this.bytes[this.at];
  }

  /** Past spaces: the sign here. */
  private usual(): number | undefined {
    let sign = this.sign();
    for (; sign !== undefined && IS_SPACE[sign] === 1; sign = this.sign()) this.at++;
    return sign;
  }

  private expect(expected: number): void {
    if (this.usual() !== expected) throw UNEXPECTED;
    this.at++;
  }

  /** After a member: whether another one follows. */
  private more(): boolean {
    const sign = this.usual();
    this.at++;
    if (sign === COMMA) return true;
    if (sign === CLOSE) return false;
    throw UNEXPECTED;
  }

  /** The bytes of the value that begins here; the place is behind it then. */
  private value(): ByteChunks {
    const first = this.sign();
    const start = this.before + this.at;
    if (first === QUOTE) this.string();
    else if (first === OPEN || first === LIST) this.nested();
    else {
      while (isPlain(this.sign())) this.at++;
      if (this.before + this.at === start) throw UNEXPECTED;
    }
    return this.body.slice(start, this.before + this.at);
  }

  private nested(): void {
    let depth = 0;
    for (;;) {
      const sign = this.sign();
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
    this.at++;
    while (this.sign() !== undefined) {
      const quote = this.bytes.indexOf(QUOTE, this.at);
      if (quote < 0) this.at = this.bytes.length;
      else {
        this.at = quote + 1;
        if (this.backslashesBefore(quote) % 2 === 0) return;
      }
    }
    throw UNEXPECTED;
  }

  private backslashesBefore(place: number): number {
    let found = 0;
    let { part, bytes } = this;
    for (let at = place - 1; ; found++, at--) {
      while (at < 0) {
        if (part === 0) return found;
        bytes = this.body.list[--part]!;
        at += bytes.length;
      }
      if (bytes[at] !== BACKSLASH) return found;
    }
  }
}

const isPlain = (sign: number | undefined): boolean =>
  sign !== undefined && sign !== COMMA && sign !== END && sign !== CLOSE && IS_SPACE[sign] === 0;
