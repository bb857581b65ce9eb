import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';
import { JsonNumber } from '#libs/core/exact-json.js';
import { badRequest } from './problem.js';

export type JsonValue = string | JsonNumber | boolean | null | JsonValue[] | JsonObject;
export interface JsonObject {
  [name: string]: JsonValue | undefined;
}

/** Deeper nesting than any body of ours needs is refused: it could only be meant to exhaust the stack. */
const MAX_DEPTH = 64;

/** The object that a request's body is, or a 400 that says why it is none. */
export function jsonObjectBody(request: FastifyRequest): JsonObject {
  const body: unknown = request.body;
  if (!Buffer.isBuffer(body) || body.length === 0) throw badRequest('the body must be a JSON object; it is empty');
  if (!isUtf8(body)) throw badRequest('the body must be a JSON object in UTF-8');
  const text = body.toString('utf8');
  const value = readJson(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  if (!isJsonObject(value)) throw badRequest('the body must be a JSON object');
  return value;
}

export const isJsonObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber);

/**
 * JSON of a request body, read strictly (RFC 8259) and without loss: a number keeps its text. Objects have no prototype, so
 * that no name in them is special; a name that comes twice counts with its last value. Nothing that a client sends makes it
 * throw anything but a 400.
 */
export function readJson(text: string): JsonValue {
  const reader = new JsonReader(text);
  return reader.read();
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** Up to the closing quote: anything but quotes, backslashes and control characters, or an escape. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them inside strings
const PLAIN = /[^"\\\u0000-\u001f]*/y;

class JsonReader {
  private at = 0;
  private depth = 0;

  constructor(private readonly text: string) {}

  read(): JsonValue {
    const value = this.value();
    this.space();
    if (this.at < this.text.length) throw this.broken();
    return value;
  }

  private value(): JsonValue {
    this.space();
    switch (this.text.charCodeAt(this.at)) {
      case 0x7b:
        return this.nested(() => this.object());
      case 0x5b:
        return this.nested(() => this.array());
      case 0x22:
        return this.string();
      case 0x74:
        return this.word('true', true);
      case 0x66:
        return this.word('false', false);
      case 0x6e:
        return this.word('null', null);
      default:
        return this.number();
    }
  }

  private nested<T>(read: () => T): T {
    this.depth++;
    if (this.depth > MAX_DEPTH) throw badRequest(`the body is nested deeper than ${MAX_DEPTH} levels`);
    this.at++;
    const value = read();
    this.depth--;
    return value;
  }

  private object(): JsonObject {
    const value = Object.create(null) as JsonObject;
    if (this.takes(0x7d)) return value;
    do {
      this.space();
      const name = this.string();
      if (!this.takes(0x3a)) throw this.broken();
      value[name] = this.value();
    } while (this.takes(0x2c));
    if (!this.takes(0x7d)) throw this.broken();
    return value;
  }

  private array(): JsonValue[] {
    const values: JsonValue[] = [];
    if (this.takes(0x5d)) return values;
    do values.push(this.value());
    while (this.takes(0x2c));
    if (!this.takes(0x5d)) throw this.broken();
    return values;
  }

  private string(): string {
    const { text } = this;
    const start = this.at;
    if (text.charCodeAt(start) !== 0x22) throw this.broken();
    this.at++;
    let escaped = false;
    for (;;) {
      PLAIN.lastIndex = this.at;
      PLAIN.test(text);
      this.at = PLAIN.lastIndex;
      const code = text.charCodeAt(this.at);
      if (code === 0x22) break;
      if (code !== 0x5c) throw this.broken();
      escaped = true;
      this.at += 2;
    }
    this.at++;
    if (!escaped) return text.slice(start + 1, this.at - 1);
    try {
      return JSON.parse(text.slice(start, this.at)) as string;
    } catch {
      this.at = start;
      throw this.broken();
    }
  }

  private number(): JsonNumber {
    NUMBER.lastIndex = this.at;
    const found = NUMBER.exec(this.text);
    if (found === null) throw this.broken();
    this.at = NUMBER.lastIndex;
    return new JsonNumber(found[0]);
  }

  private word<T>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) throw this.broken();
    this.at += word.length;
    return value;
  }

  /** Whether the next character that is no space is this one; it is passed over then. */
  private takes(code: number): boolean {
    this.space();
    if (this.text.charCodeAt(this.at) !== code) return false;
    this.at++;
    return true;
  }

  private space(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.at++;
    }
  }

  private broken(): Error {
    return badRequest(`the body is no JSON: it cannot be read at character ${Math.min(this.at, this.text.length) + 1}`);
  }
}
