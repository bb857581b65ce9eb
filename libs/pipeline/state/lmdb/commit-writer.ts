import type { Hex } from '#libs/core/ids.js';
import { type PackedRecord, RecordPacker, recordOf, recordPlaces, unpackRecords } from '../packed-records.js';
import type { BlockPosition } from '../space.js';
import { type CommitExtent, type CommitExtents, type CommitFiles } from './commit-files.js';
import { readValue, type StateEnv } from './state-env.js';

/** Two to a page, and none needs pages of its own. */
const UNDO_ROW_BYTES = 1_900;
const TOUCHED_CHUNK_BYTES = 256 * 1024;

export interface CommitInput {
  /** Packed records with the new values. */
  values: Buffer[];
  /** Packed records of the same keys with the values that the commit before left. */
  before: Buffer[];
  position: BlockPosition;
  /** The commit file is full: it is merged into the trees from now on, and later commits fill another one. */
  rotate: boolean;
}

/**
 * The writes of a keyed state on lmdb; runs in the commit thread.
 * Invariant: each commit is one transaction that changes position, undo rows, the values of ranged spaces and how much of the commit file
 * counts; its undo rows hold for every key the value that the commit replaced. Undo rows are kept up to a bound of bytes, the oldest commits are
 * dropped first.
 */
export class CommitWriter {
  constructor(
    private readonly env: StateEnv,
    private readonly files: CommitFiles,
    private readonly undoBytes: number,
  ) {}

  /** Answers the number of the commit and that of the oldest one that can still be undone. */
  commit({ values, before, position, rotate }: CommitInput): { commit: number; oldest: number } {
    const records = sorted(values);
    const ranged = records.filter(({ space }) => this.env.spaces[space]!.ranged);
    const { merging, active } = this.env.extents;
    const extent = this.files.append(active, joined(records.filter(({ space }) => !this.env.spaces[space]!.ranged)));
    const next = { generation: active.generation + 1, length: 0 };
    const extents = rotate ? { merging: extent, active: next } : { merging, active: extent };
    return this.env.transact(() => {
      const commit = this.env.newest + 1;
      for (const { space, key, value } of ranged) this.env.put(space, key, value);
      const bytes = this.keepUndo(commit, before);
      void this.env.commits.putSync(commit, { before: this.env.position, bytes, file: active });
      void this.env.meta.putSync('commit', commit);
      void this.env.meta.putSync('position', position);
      this.env.putExtents(extents);
      return { commit, oldest: this.dropOldUndo(commit, bytes) };
    });
  }

  /** Undoes commits from the newest down to this one, each in a transaction of its own. No merge is under way. */
  rewind(to: number): { position: BlockPosition | null; touched: Buffer<ArrayBuffer>[] } {
    const touched = this.currentValues(this.keysSince(to));
    for (let commit = this.env.newest; commit >= to; commit--) {
      this.env.transact(() => {
        for (const { key: row, value } of [...this.undoRows(commit)]) {
          for (const old of unpackRecords(value)) this.env.put(old.space, old.key, old.value);
          this.env.undo.removeSync(row);
        }
        const { before, bytes, file } = this.env.commits.get(commit)!;
        this.env.commits.removeSync(commit);
        this.env.meta.putSync('commit', commit - 1);
        this.env.meta.putSync('undoBytes', this.keptUndoBytes() - bytes);
        this.env.putExtents(cutTo(file, this.env.extents));
        if (before === null) this.env.meta.removeSync('position');
        else this.env.meta.putSync('position', before);
      });
    }
    return { position: this.env.position, touched };
  }

  /** In key order. Until the position is written, the next opening drops what was loaded. */
  load(chunks: Buffer[], position: BlockPosition | null): void {
    this.env.transact(() => {
      this.env.meta.putSync('loading', position === null);
      for (const packed of chunks) {
        for (const { space, key, value } of unpackRecords(packed)) {
          this.env.values[space]!.putSync(key, value!, { append: true });
        }
      }
      if (position !== null) this.env.meta.putSync('position', position);
    });
  }

  private keepUndo(commit: number, chunks: readonly Buffer[]): number {
    let rows = 0;
    let bytes = 0;
    for (const chunk of chunks) {
      for (const row of splitPacked(chunk, UNDO_ROW_BYTES)) {
        bytes += row.length;
        this.env.undo.putSync(undoKey(commit, rows++), row);
      }
    }
    return bytes;
  }

  /** The keys that this commit and those after it changed, `space/key`. */
  private keysSince(commit: number): Set<string> {
    const keys = new Set<string>();
    for (let each = this.env.newest; each >= commit; each--) {
      for (const { value } of this.undoRows(each)) {
        for (const { space, key } of unpackRecords(value)) keys.add(`${space}/${key}`);
      }
    }
    return keys;
  }

  /** Packed records of the keys as they are now: from the commit files, or from the trees. */
  private currentValues(keys: ReadonlySet<string>): Buffer<ArrayBuffer>[] {
    const inFiles = new Map<string, Buffer | null>();
    const { merging, active } = this.env.extents;
    for (const extent of [merging, active]) {
      for (const records of extent === null ? [] : this.files.read(extent)) {
        for (const { space, key, value } of unpackRecords(records)) {
          const id = `${space}/${key}`;
          if (keys.has(id)) inFiles.set(id, value);
        }
      }
    }
    const chunks: Buffer<ArrayBuffer>[] = [];
    const packer = new RecordPacker(TOUCHED_CHUNK_BYTES);
    for (const id of keys) {
      const slash = id.indexOf('/');
      const [space, key] = [Number(id.slice(0, slash)), id.slice(slash + 1)];
      const known = inFiles.get(id);
      const value = known === undefined ? readValue(this.env.values[space]!, key) : known;
      if (!packer.fits(key, value)) chunks.push(packer.take());
      packer.add(space, key, value);
    }
    if (!packer.isEmpty) chunks.push(packer.take());
    return chunks;
  }

  private dropOldUndo(newest: number, added: number): number {
    let kept = this.keptUndoBytes() + added;
    let oldest = newest;
    for (const commit of [...this.env.commits.getKeys({})]) {
      oldest = commit;
      if (kept <= this.undoBytes || commit === newest) break;
      for (const { key } of [...this.undoRows(commit)]) this.env.undo.removeSync(key);
      kept -= this.env.commits.get(commit)!.bytes;
      this.env.commits.removeSync(commit);
    }
    this.env.meta.putSync('undoBytes', kept);
    return oldest;
  }

  private keptUndoBytes(): number {
    return (this.env.meta.get('undoBytes') as number | undefined) ?? 0;
  }

  private *undoRows(commit: number): Generator<{ key: Hex; value: Buffer }> {
    for (const { key, value } of this.env.undo.getRange({ start: undoKey(commit, 0), end: undoKey(commit + 1, 0) })) {
      yield { key, value: Buffer.from(value) };
    }
  }
}

const undoKey = (commit: number, row: number): Hex =>
  commit.toString(16).padStart(14, '0') + row.toString(16).padStart(8, '0');

/** A record of a commit, and the bytes that it is packed in. */
interface SortedRecord extends PackedRecord {
  readonly packed: Buffer;
}

/** In the order of the pages: a page that several records share is changed once. */
function sorted(chunks: readonly Buffer[]): SortedRecord[] {
  const records: SortedRecord[] = [];
  for (const chunk of chunks) {
    for (const place of recordPlaces(chunk)) {
      const packed = chunk.subarray(place.from, place.end);
      const { space, key, value } = recordOf(chunk, place);
      records.push({ space, key, value, packed });
    }
  }
  return records.sort((a, b) => a.space - b.space || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

/** In memory of its own. */
const joined = (records: readonly SortedRecord[]): Buffer => Buffer.concat(records.map(({ packed }) => packed));

/** Whole records, as many as fit into so many bytes; one that is larger comes alone. */
function* splitPacked(chunk: Buffer, most: number): Generator<Buffer> {
  let from = 0;
  let until = 0;
  for (const { end } of recordPlaces(chunk)) {
    if (until > from && end - from > most) {
      yield chunk.subarray(from, until);
      from = until;
    }
    until = end;
  }
  if (until > from) yield chunk.subarray(from, until);
}

/** What counts of the files without the commits from one on, which found them at `cut`. */
function cutTo(cut: CommitExtent | undefined, { merging, active }: CommitExtents): CommitExtents {
  if (cut === undefined) return { merging, active };
  if (cut.generation === active.generation) return { merging, active: cut };
  // All of the newer file is undone already.
  return { merging: cut.generation === merging?.generation ? cut : merging, active };
}
