import {
  closeSync,
  constants,
  fdatasyncSync,
  fsyncSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { TidepoolError } from '#libs/core/errors.js';

/** How much of a file counts: what is behind it belongs to a commit that did not come to its end, or was undone. */
export interface CommitExtent {
  readonly generation: number;
  readonly length: number;
}

/** The files whose records are not in the trees yet. The older one, if there is one, is being merged into them. */
export interface CommitExtents {
  readonly merging: CommitExtent | null;
  readonly active: CommitExtent;
}

export const NO_COMMITS: CommitExtents = { merging: null, active: { generation: 1, length: 0 } };

/** Where the records of one commit are in a file. */
export interface Frame {
  readonly from: number;
  readonly end: number;
}

const HEAD = 4;
const NAME = /^commits-(\d+)$/;

export const commitFile = (dir: string, generation: number): string => join(dir, `commits-${generation}`);

/**
 * The writing side of commit files: frames one behind the other, each with its length and the packed records of one commit in
 * the order of spaces and keys. A frame is durable before the transaction that counts it in.
 */
export class CommitFiles {
  private file: { generation: number; descriptor: number } | null = null;

  constructor(private readonly dir: string) {}

  /** Writes behind the extent, and answers the extent with it. */
  append({ generation, length }: CommitExtent, records: Buffer): CommitExtent {
    if (records.length === 0) return { generation, length };
    const head = Buffer.alloc(HEAD);
    head.writeUInt32LE(records.length);
    const descriptor = this.descriptorOf(generation);
    let at = length;
    for (const part of [head, records]) {
      for (let written = 0; written < part.length; ) {
        written += writeSync(descriptor, part, written, part.length - written, at + written);
      }
      at += part.length;
    }
    fdatasyncSync(descriptor);
    return { generation, length: at };
  }

  /** The packed records of one commit after the other. */
  *read(extent: CommitExtent): Generator<Buffer> {
    if (extent.length === 0) return;
    const descriptor = this.descriptorOf(extent.generation);
    for (const { from, end } of framesOf(descriptor, extent)) {
      const records = Buffer.allocUnsafeSlow(end - from);
      if (readSync(descriptor, records, 0, records.length, from) < records.length) throw cutShort();
      yield records;
    }
  }

  remove(generation: number): void {
    if (this.file?.generation === generation) this.close();
    rmSync(commitFile(this.dir, generation), { force: true });
  }

  close(): void {
    if (this.file !== null) closeSync(this.file.descriptor);
    this.file = null;
  }

  /** A file that is new is there after a loss of power too. */
  private keepNames(): void {
    const folder = openSync(this.dir, 'r');
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
  }

  private descriptorOf(generation: number): number {
    if (this.file?.generation !== generation) {
      this.close();
      // Not `r+`, which makes no file, and not `w+`, which empties one.
      const descriptor = openSync(commitFile(this.dir, generation), constants.O_RDWR | constants.O_CREAT, 0o644);
      this.file = { generation, descriptor };
      this.keepNames();
    }
    return this.file.descriptor;
  }
}

/** Removes files that no extent names: a merge that ended, or a start that did not come to its first commit. */
export function removeOtherFiles(dir: string, { merging, active }: CommitExtents): void {
  for (const name of readdirSync(dir)) {
    const generation = Number(NAME.exec(name)?.[1] ?? Number.NaN);
    if (Number.isNaN(generation) || generation === merging?.generation || generation === active.generation) continue;
    rmSync(join(dir, name), { force: true });
  }
}

/** The packed records of one commit after the other. */
export async function* readCommits(dir: string, { generation, length }: CommitExtent): AsyncGenerator<Buffer> {
  if (length === 0) return;
  const file = await open(commitFile(dir, generation), 'r');
  try {
    for (let at = 0; at < length; ) {
      const head = Buffer.alloc(HEAD);
      await readWhole(head, at);
      const records = Buffer.allocUnsafeSlow(checkedLength(head.readUInt32LE(), at, length));
      await readWhole(records, at + HEAD);
      yield records;
      at += HEAD + records.length;
    }
  } finally {
    await file.close();
  }

  async function readWhole(into: Buffer, at: number): Promise<void> {
    for (let done = 0; done < into.length; ) {
      const { bytesRead } = await file.read(into, done, into.length - done, at + done);
      if (bytesRead === 0) throw cutShort();
      done += bytesRead;
    }
  }
}

/** The frames of a file that is open. */
export function framesOf(descriptor: number, { length }: CommitExtent): Frame[] {
  const frames: Frame[] = [];
  const head = Buffer.alloc(HEAD);
  for (let at = 0; at < length; ) {
    if (readSync(descriptor, head, 0, HEAD, at) < HEAD) throw cutShort();
    const from = at + HEAD;
    at = from + checkedLength(head.readUInt32LE(), at, length);
    frames.push({ from, end: at });
  }
  return frames;
}

function checkedLength(stated: number, at: number, length: number): number {
  if (stated === 0 || at + HEAD + stated > length) throw cutShort();
  return stated;
}

export const cutShort = (): TidepoolError =>
  new TidepoolError('bad_state', 'a commit file of the keyed state is cut short');
