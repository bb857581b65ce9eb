import { viewOf } from '#libs/core/text-interner.js';
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
} from '../../rpc/json-cursor.js';
import { isJsonRecord, type Json } from '../malformed.js';
import type { PlacedEntry } from './node-block.js';
import { onlyVotes, VoteShapes } from './vote-shapes.js';

/**
 * Reads a block out of a node's answer without parsing the transactions that only vote, which are most of a block. The
 * list of transactions is found by its path of names; a vote that looks like one before is stepped over, everything else
 * goes to JSON.parse piece by piece. Invariant: for every answer that JSON.parse takes it gives what `readWhole` gives,
 * or null when the answer is not the usual one (an error, an escape in a name, a name twice, entries that start with
 * different names), and then JSON.parse decides.
 */
export interface BlockAnswer {
  /** The answer around the list, which is empty in it. */
  readonly rest: unknown;
  /** Every transaction that does more than vote, by its place in the list; null where the answer holds no list. */
  readonly entries: readonly PlacedEntry[] | null;
  /** How many transactions the list holds, votes counted. */
  readonly count: number;
}

/** Where the list of transactions is. */
export type ListPath = readonly string[];
export const IN_ANSWER: ListPath = ['result', 'transactions'];
export const IN_NOTIFICATION: ListPath = ['params', 'result', 'value', 'block', 'transactions'];

/** The same by JSON.parse alone. Throws SyntaxError; entries that are no objects are kept, for their reader to refuse. */
export function readWhole(body: Buffer, path: ListPath): BlockAnswer {
  const rest: unknown = JSON.parse(body.toString());
  let holder: unknown = rest;
  for (const key of path.slice(0, -1)) holder = isJsonRecord(holder) ? holder[key] : undefined;
  const name = path.at(-1)!;
  if (!isJsonRecord(holder) || !Array.isArray(holder[name])) return { rest, entries: null, count: 0 };
  const list = holder[name] as Json[];
  holder[name] = [];
  const entries = list.map((entry, index) => ({ index, entry })).filter(({ entry }) => !onlyVotes(entry));
  return { rest, entries, count: list.length };
}

export function scanBlock(body: Buffer, path: ListPath): BlockAnswer | null {
  try {
    return new BlockScanner(body).answer(path);
  } catch (error) {
    if (error === UNEXPECTED || error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Throws SyntaxError. */
export const readBlock = (body: Buffer, path: ListPath): BlockAnswer => scanBlock(body, path) ?? readWhole(body, path);

const shapes = new VoteShapes();

class BlockScanner extends JsonCursor {
  private readonly view: DataView;

  constructor(bytes: Buffer) {
    super(bytes);
    this.view = viewOf(bytes);
  }

  answer(path: ListPath): BlockAnswer {
    const list = this.find(path, 0);
    const { bytes } = this;
    if (list === null) return { rest: JSON.parse(bytes.toString()), entries: null, count: 0 };
    const rest: unknown = JSON.parse(`${bytes.toString('utf8', 0, list.start)}[]${bytes.toString('utf8', list.end)}`);
    return { rest, entries: list.entries, count: list.count };
  }

  /** Walks an object to its end; the list at the path below it, or null where that is missing or something else. */
  private find(path: ListPath, depth: number): FoundList | null {
    let found: FoundList | null = null;
    let seen = false;
    this.expect(OPEN);
    if (this.closes(CLOSE)) return null;
    do {
      if (this.name() !== path[depth]) {
        this.skip();
        continue;
      }
      if (seen) throw UNEXPECTED;
      seen = true;
      this.space();
      const sign = this.bytes[this.at];
      if (depth === path.length - 1 && sign === LIST) found = this.entries();
      else if (depth < path.length - 1 && sign === OPEN) found = this.find(path, depth + 1);
      else this.skip();
    } while (this.more(CLOSE));
    return found;
  }

  private entries(): FoundList {
    const { bytes, view } = this;
    const start = this.at;
    const entries: PlacedEntry[] = [];
    let opening: Buffer | null = null;
    let index = 0;
    this.expect(LIST);
    if (!this.closes(END)) {
      do {
        this.space();
        const from = this.at;
        const end = shapes.match(bytes, view, from);
        if (end >= 0) {
          this.at = end;
        } else {
          opening ??= this.opening();
          this.at = this.entryEnd(opening);
          const entry = JSON.parse(bytes.toString('utf8', from, this.at)) as Json;
          if (onlyVotes(entry)) shapes.learn(bytes.subarray(from, this.at));
          else entries.push({ index, entry });
        }
        index++;
      } while (this.more(END));
    }
    return { start, end: this.at, entries, count: index };
  }

  /** The bytes up to the first value of the entry that starts here: most probably every entry starts with them. */
  private opening(): Buffer {
    const { at } = this;
    this.expect(OPEN);
    this.name();
    const opening = this.bytes.subarray(at, this.at);
    this.at = at;
    return opening;
  }

  /**
   * Where the entry that starts here should end: before the next one, or where a walk over it ends. Should: a piece that
   * ends elsewhere is no JSON.
   */
  private entryEnd(opening: Buffer): number {
    const { bytes } = this;
    let end = bytes.indexOf(opening, this.at + 1);
    if (end < 0) {
      this.skip();
      return this.at;
    }
    do end--;
    while (IS_SPACE[bytes[end]!] === 1);
    if (bytes[end] !== COMMA) throw UNEXPECTED;
    return end;
  }

  /** Steps over one value of any kind; whether it is JSON is for JSON.parse to say. */
  private skip(): void {
    this.space();
    const { bytes } = this;
    const { length } = bytes;
    let depth = 0;
    for (; this.at < length; this.at++) {
      const sign = bytes[this.at]!;
      if (sign === QUOTE) this.endText();
      else if (sign === OPEN || sign === LIST) depth++;
      else if (sign === CLOSE || sign === END) {
        if (depth === 0) return;
        depth--;
      } else if (depth > 0 || sign !== COMMA) continue;
      else return;
      if (depth === 0) {
        this.at++;
        return;
      }
    }
    throw UNEXPECTED;
  }

  /** From the quote that opens a text to the one that ends it. */
  private endText(): void {
    const { bytes } = this;
    const { length } = bytes;
    let at = this.at + 1;
    while (at < length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
    if (at >= length) throw UNEXPECTED;
    this.at = at;
  }

  private name(): string {
    this.space();
    const start = this.at + 1;
    if (this.bytes[this.at] !== QUOTE) throw UNEXPECTED;
    this.endText();
    const name = this.bytes.toString('latin1', start, this.at);
    if (name.includes('\\')) throw UNEXPECTED;
    this.at++;
    this.expect(COLON);
    return name;
  }
}

interface FoundList {
  readonly start: number;
  readonly end: number;
  readonly entries: readonly PlacedEntry[];
  readonly count: number;
}
