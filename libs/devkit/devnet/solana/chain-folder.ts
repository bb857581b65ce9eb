import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { TidepoolError } from '#libs/core/errors.js';
import { fromRecord, type LogLine, toRecord } from './block-record.js';
import type { Block } from './chain-types.js';

/**
 * The folder of a chain: `chain.json` says which one it is, segments of lines hold the blocks in the order they were
 * made and the forks between them, and one file holds the accounts after a final block. A line cut short by a crash is
 * dropped; a segment is removed only when its blocks are not needed any more.
 */
export interface ChainIdentity {
  format: 1;
  seed: number;
  genesisTime: number;
}

export interface FoundChain {
  blocks: Block[];
  branch: number;
  state: { height: number; bytes: Uint8Array } | null;
}

const LINES_PER_SEGMENT = 1024;
const digits = (value: number): string => String(value).padStart(12, '0');

export class ChainFolder {
  readonly identity: ChainIdentity;
  readonly found: boolean;
  /** Segments in order, with the greatest height each holds. */
  private segments: { name: string; top: number; lines: number }[] = [];
  private stateHeight = -1;

  constructor(
    private readonly folder: string,
    seed: number | undefined,
    now: number,
  ) {
    mkdirSync(folder, { recursive: true });
    const path = join(folder, 'chain.json');
    this.found = existsSync(path);
    this.identity = this.found ? this.readIdentity(path) : { format: 1, seed: seed ?? 1, genesisTime: now };
    if (seed !== undefined && this.identity.seed !== seed) {
      throw new TidepoolError(
        'devnet_state',
        `the folder ${folder} holds a local chain with seed ${this.identity.seed}`,
      );
    }
    if (!this.found) this.replace('chain.json', JSON.stringify(this.identity));
  }

  read(): FoundChain {
    const blocks: Block[] = [];
    let branch = 0;
    const names = this.names('blocks-');
    for (const name of names) {
      const lines = this.readLines(name, name === names[names.length - 1]);
      let top = 0;
      for (const line of lines) {
        if ('block' in line) {
          const block = fromRecord(line.block);
          blocks.push(block);
          top = Math.max(top, block.height);
          continue;
        }
        branch = line.branch;
        while (blocks.length > 0 && (blocks[blocks.length - 1] as Block).height > line.fork) blocks.pop();
      }
      this.segments.push({ name, top, lines: lines.length });
    }
    const name = this.names('state-').pop();
    if (name === undefined) return { blocks, branch, state: null };
    this.stateHeight = Number(name.slice(6, -4));
    return { blocks, branch, state: { height: this.stateHeight, bytes: readFileSync(join(this.folder, name)) } };
  }

  block(block: Block): void {
    this.append({ block: toRecord(block) }, block.height);
  }

  fork(height: number, branch: number): void {
    this.append({ fork: height, branch }, height);
  }

  /** Keeps the accounts after a final block, and drops segments whose blocks are all below `needed`. */
  state(height: number, bytes: Uint8Array, needed: number): void {
    if (height <= this.stateHeight) return;
    const kept = `state-${digits(height)}.bin`;
    this.replace(kept, bytes);
    this.stateHeight = height;
    for (const name of this.names('state-')) if (name !== kept) rmSync(join(this.folder, name));
    while (this.segments.length > 1 && (this.segments[0]?.top ?? needed) < needed) {
      rmSync(join(this.folder, this.segments.shift()?.name as string));
    }
  }

  private append(line: LogLine, height: number): void {
    let segment = this.segments[this.segments.length - 1];
    if (!segment || segment.lines >= LINES_PER_SEGMENT) {
      const number = segment ? Number(segment.name.slice(7, -7)) + 1 : 0;
      segment = { name: `blocks-${digits(number)}.ndjson`, top: 0, lines: 0 };
      this.segments.push(segment);
    }
    appendFileSync(join(this.folder, segment.name), `${JSON.stringify(line)}\n`);
    segment.lines++;
    segment.top = Math.max(segment.top, height);
  }

  private readLines(name: string, last: boolean): LogLine[] {
    const path = join(this.folder, name);
    const bytes = readFileSync(path);
    const end = bytes.lastIndexOf(10) + 1;
    if (end < bytes.length) {
      if (!last) throw new TidepoolError('devnet_state', `${path} ends within a line`);
      truncateSync(path, end);
    }
    const texts = bytes.subarray(0, end).toString('utf8').split('\n').slice(0, -1);
    try {
      return texts.map((text) => JSON.parse(text) as LogLine);
    } catch (cause) {
      throw new TidepoolError('devnet_state', `${path} holds a line that is no JSON`, { cause });
    }
  }

  private readIdentity(path: string): ChainIdentity {
    try {
      const identity = JSON.parse(readFileSync(path, 'utf8')) as ChainIdentity;
      if (identity.format === 1 && Number.isSafeInteger(identity.seed)) return identity;
    } catch (cause) {
      throw new TidepoolError('devnet_state', `${path} is no JSON`, { cause });
    }
    throw new TidepoolError('devnet_state', `${path} does not describe a local Solana chain`);
  }

  private names(prefix: string): string[] {
    return readdirSync(this.folder)
      .filter((name) => name.startsWith(prefix) && /\.(ndjson|bin)$/.test(name))
      .sort();
  }

  private replace(name: string, content: string | Uint8Array): void {
    const temporary = join(this.folder, `${name}.tmp`);
    writeFileSync(temporary, content);
    renameSync(temporary, join(this.folder, name));
  }
}
