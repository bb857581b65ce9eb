import type { Hex } from '#libs/core/ids.js';
import { type PackedRecord, RecordPacker, unpackRecords } from '../packed-records.js';
import type { BlockPosition } from '../space.js';
import { readValue, type StateEnv } from './state-env.js';

/** Two to a page, and none needs pages of its own. */
const UNDO_ROW_BYTES = 1_900;
const TOUCHED_CHUNK_BYTES = 256 * 1024;

/**
 * The writes of a keyed state on lmdb; runs in the commit thread.
 * Invariant: each commit is one transaction that changes values, position and undo rows; its undo rows hold for every key the
 * value that the commit replaced. Undo rows are kept up to a bound of bytes, the oldest commits are dropped first.
 */
export class CommitWriter {
  constructor(
    private readonly env: StateEnv,
    private readonly undoBytes: number,
  ) {}

  /** Answers the number of the commit and that of the oldest one that can still be undone. */
  commit(chunks: Buffer[], position: BlockPosition): { commit: number; oldest: number } {
    const records = sorted(chunks);
    return this.env.transact(() => {
      const commit = this.env.newest + 1;
      const before = this.env.position;
      const bytes = this.replace(records, commit);
      void this.env.commits.putSync(commit, { before, bytes });
      void this.env.meta.putSync('commit', commit);
      void this.env.meta.putSync('position', position);
      return { commit, oldest: this.dropOldUndo(commit, bytes) };
    });
  }

  /** Undoes commits from the newest down to this one, each in a transaction of its own. */
  rewind(to: number): { position: BlockPosition | null; touched: Buffer<ArrayBuffer>[] } {
    const touched: Buffer<ArrayBuffer>[] = [];
    const packer = new RecordPacker(TOUCHED_CHUNK_BYTES);
    const seen = new Set<string>();
    for (let commit = this.env.newest; commit >= to; commit--) {
      this.env.transact(() => {
        for (const { key: row, value: packed } of [...this.undoRows(commit)]) {
          for (const { space, key, value } of unpackRecords(packed)) {
            const id = `${space}/${key}`;
            if (!seen.has(id)) {
              seen.add(id);
              const current = readValue(this.env.values[space]!, key);
              if (!packer.fits(key, current)) touched.push(packer.take());
              packer.add(space, key, current);
            }
            this.put(space, key, value);
          }
          this.env.undo.removeSync(row);
        }
        const { before, bytes } = this.env.commits.get(commit)!;
        this.env.commits.removeSync(commit);
        this.env.meta.putSync('commit', commit - 1);
        this.env.meta.putSync('undoBytes', this.keptUndoBytes() - bytes);
        if (before === null) this.env.meta.removeSync('position');
        else this.env.meta.putSync('position', before);
      });
    }
    if (!packer.isEmpty) touched.push(packer.take());
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

  private replace(records: PackedRecord[], commit: number): number {
    const undo = new RecordPacker(UNDO_ROW_BYTES);
    let rows = 0;
    let bytes = 0;
    const flush = (): void => {
      const packed = undo.take();
      bytes += packed.length;
      this.env.undo.putSync(undoKey(commit, rows++), packed);
    };
    for (const { space, key, value } of records) {
      const old = readValue(this.env.values[space]!, key);
      if (old === null ? value === null : value !== null && Buffer.compare(old, value) === 0) continue;
      if (!undo.fits(key, old)) flush();
      undo.add(space, key, old);
      this.put(space, key, value);
    }
    if (!undo.isEmpty) flush();
    return bytes;
  }

  private put(space: number, key: Hex, value: Buffer | null): void {
    if (value === null) this.env.values[space]!.removeSync(key);
    else this.env.values[space]!.putSync(key, value);
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

/** In the order of the pages: a page that several records share is changed once. */
function sorted(chunks: Buffer[]): PackedRecord[] {
  const records: PackedRecord[] = [];
  for (const packed of chunks) for (const record of unpackRecords(packed)) records.push(record);
  return records.sort((a, b) => a.space - b.space || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}
