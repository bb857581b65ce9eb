import { sameBytes, viewOf } from '#libs/core/text-interner.js';
import { isJsonRecord, type Json } from '../malformed.js';

/**
 * Recognises transactions that only vote by the look of their bytes: a node writes each of them alike, but for texts and
 * numbers. Invariant: what matches a shape is one whole JSON object that `onlyVotes` would call a vote, since a shape
 * keeps every name, sign and space, every program position and every mention of the vote program of a vote that was read.
 */
export const VOTE_PROGRAM = 'Vote111111111111111111111111111111111111111';

/** Whether every top-level instruction calls the vote program, and there is one. */
export function onlyVotes(entry: Json): boolean {
  if (!isJsonRecord(entry) || !isJsonRecord(entry.transaction) || !isJsonRecord(entry.transaction.message))
    return false;
  const { accountKeys, instructions } = entry.transaction.message;
  if (!Array.isArray(accountKeys) || !Array.isArray(instructions) || instructions.length === 0) return false;
  return instructions.every(
    (instruction) =>
      isJsonRecord(instruction) &&
      typeof instruction.programIdIndex === 'number' &&
      accountKeys[instruction.programIdIndex] === VOTE_PROGRAM,
  );
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const isDigit = (sign: number): boolean => sign >= 0x30 && sign <= 0x39;

/** Bytes that end the walk through a text: its end, an escape, and what no text may hold. */
const ENDS_TEXT = new Uint8Array(256);
ENDS_TEXT.fill(1, 0, 0x20);
ENDS_TEXT[QUOTE] = ENDS_TEXT[BACKSLASH] = 1;

const MOST_SHAPES = 8;

/** The shapes of votes seen lately, the last one first. */
export class VoteShapes {
  private readonly shapes: Shape[] = [];

  /** The end of the vote that starts here; -1 when what is here is no vote of a known shape. */
  match(bytes: Buffer, view: DataView, from: number): number {
    const { shapes } = this;
    for (let n = 0; n < shapes.length; n++) {
      const end = shapes[n]!.match(bytes, view, from);
      if (end < 0) continue;
      if (n > 0) shapes.unshift(...shapes.splice(n, 1));
      return end;
    }
    return -1;
  }

  /** Remembers how a vote is written: bytes that JSON.parse took, and `onlyVotes` what came of it. */
  learn(vote: Buffer): void {
    if (vote.includes(BACKSLASH)) return;
    this.shapes.unshift(Shape.of(vote));
    if (this.shapes.length > MOST_SHAPES) this.shapes.pop();
  }
}

/** Fixed bytes with a text or a number after each of them but the last. */
class Shape {
  private readonly view: DataView;

  private constructor(
    fixed: Buffer,
    /** Where each run of fixed bytes ends. */
    private readonly ends: readonly number[],
    /** What follows it: 1 for the inside of a text, 0 for digits. */
    private readonly texts: readonly number[],
  ) {
    this.view = viewOf(fixed);
  }

  static of(vote: Buffer): Shape {
    const fixed: Buffer[] = [];
    const ends: number[] = [];
    const texts: number[] = [];
    let length = 0;
    let start = 0;
    let name = '';
    const vary = (from: number, to: number, text: number): void => {
      fixed.push(vote.subarray(start, from));
      length += from - start;
      ends.push(length);
      texts.push(text);
      start = to;
    };
    for (let at = 0; at < vote.length; ) {
      if (vote[at] === QUOTE) {
        const end = vote.indexOf(QUOTE, at + 1);
        const text = vote.toString('latin1', at + 1, end);
        let next = end + 1;
        while (vote[next]! <= 0x20) next++;
        if (vote[next] === 0x3a) name = text;
        else if (text !== VOTE_PROGRAM) vary(at + 1, end, 1);
        at = end + 1;
      } else if (isDigit(vote[at]!)) {
        let end = at;
        while (isDigit(vote[end]!)) end++;
        if (name !== 'programIdIndex') vary(at, end, 0);
        at = end;
      } else at++;
    }
    fixed.push(vote.subarray(start));
    ends.push(length + vote.length - start);
    return new Shape(Buffer.concat(fixed), ends, texts);
  }

  match(bytes: Buffer, view: DataView, from: number): number {
    const { ends, texts } = this;
    const last = ends.length - 1;
    const size = bytes.length;
    let at = from;
    let start = 0;
    for (let n = 0; ; n++) {
      const length = ends[n]! - start;
      if (at + length > size || !sameBytes(view, at, this.view, start, length)) return -1;
      at += length;
      if (n === last) return at;
      start = ends[n]!;
      if (texts[n] === 1) {
        while (ENDS_TEXT[bytes[at]!] === 0) at++;
      } else {
        const first = at;
        while (bytes[at]! >= 0x30 && bytes[at]! <= 0x39) at++;
        if (at === first) return -1;
      }
    }
  }
}
