import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Database, open, type RootDatabase } from 'lmdb';
import { TidepoolError } from '#libs/core/errors.js';
import type { TopicSpec } from '#libs/protocol/topics.js';
import { checkTopicSpec, closedLog, topicMismatch, unknownTopic } from './append-rules.js';

export type RecordDb = Database<Buffer, number>;
export type IndexDb = Database<number, Buffer>;

/** One topic as it lies in the environment. */
export interface StoredTopic {
  spec: TopicSpec;
  /** Records by seq or offset, one database per partition. */
  partitions: RecordDb[];
  /** Compacted topics only: key → offset of its newest record. */
  indexes: IndexDb[];
}

/**
 * The lmdb environment of the embedded log and its catalog of topics. Opened without overlappingSync: a commit is
 * synced before its meta page is written, so whatever any process can read is already durable (rule 6), and a commit
 * that resolved survives a power cut. Several processes may have the directory open; lmdb's write lock orders them.
 */
export class EmbeddedEnv {
  readonly meta: Database<unknown, string>;
  private readonly root: RootDatabase<Buffer, number>;
  private readonly topics = new Map<string, StoredTopic>();
  private closing: Promise<void> | null = null;

  constructor(dir: string, maxBytes?: number) {
    const path = resolve(dir);
    try {
      mkdirSync(path, { recursive: true });
      this.root = open<Buffer, number>({
        path,
        noSubdir: false,
        maxDbs: 4096,
        encoding: 'binary',
        overlappingSync: false,
        cache: false,
        ...(maxBytes === undefined ? {} : { mapSize: maxBytes }),
      });
      this.meta = this.root.openDB<unknown, string>({ name: 'meta', encoding: 'json' });
    } catch (error) {
      throw storeError(error);
    }
  }

  get closed(): boolean {
    return this.closing !== null;
  }

  /** Makes the reads that follow see everything that any process has committed. */
  refresh(): void {
    if (this.closing) throw closedLog();
    this.root.resetReadTxn();
  }

  /** Runs `action` under lmdb's write lock; resolves when its writes are on disk. Its reads see the latest state. */
  async transact<T>(action: () => T): Promise<T> {
    if (this.closing) throw closedLog();
    try {
      return await this.root.transaction(action);
    } catch (error) {
      throw await commitError(error);
    }
  }

  async ensure(specs: TopicSpec[]): Promise<void> {
    for (const spec of specs) checkTopicSpec(spec);
    await this.transact(() => {
      for (const spec of specs) {
        const stored = this.meta.get(topicKey(spec.name)) as TopicSpec | undefined;
        if (stored && stored.kind !== spec.kind) throw topicMismatch(spec.name, 'kind');
        if (stored && stored.partitions !== spec.partitions) throw topicMismatch(spec.name, 'number of partitions');
      }
      for (const { name, kind, partitions, retentionMs } of specs) {
        void this.meta.put(topicKey(name), { name, kind, partitions, retentionMs });
      }
    });
    for (const spec of specs) this.topics.delete(spec.name);
    for (const spec of specs) this.topic(spec.name);
  }

  topic(name: string): StoredTopic {
    const known = this.topics.get(name);
    if (known) return known;
    this.refresh();
    const spec = this.meta.get(topicKey(name)) as TopicSpec | undefined;
    if (!spec) throw unknownTopic(name);
    const each = <T>(make: (partition: number) => T): T[] => Array.from({ length: spec.partitions }, (_, i) => make(i));
    const topic: StoredTopic = {
      spec,
      partitions: each((i) =>
        this.root.openDB<Buffer, number>({ name: `${name}/${i}`, encoding: 'binary', keyEncoding: 'ordered-binary' }),
      ),
      indexes:
        spec.kind === 'compacted'
          ? each((i) =>
              this.root.openDB<number, Buffer>({
                name: `${name}/${i}/keys`,
                encoding: 'ordered-binary',
                keyEncoding: 'binary',
              }),
            )
          : [],
    };
    this.topics.set(name, topic);
    return topic;
  }

  topicNames(): string[] {
    this.refresh();
    const names: string[] = [];
    for (const key of this.meta.getKeys({ start: 'topic:', end: 'topic;' })) names.push(key.slice('topic:'.length));
    return names.sort();
  }

  close(): Promise<void> {
    this.closing ??= this.root.close();
    return this.closing;
  }
}

const topicKey = (name: string): string => `topic:${name}`;

/** Lowest or highest key of a database, or null. Inside a write transaction it sees that transaction's writes. */
export function edgeKey(db: RecordDb, edge: 'first' | 'last'): number | null {
  for (const key of db.getKeys({ reverse: edge === 'last', limit: 1 })) return key;
  return null;
}

/** Bytes of the pages that a database occupies. */
export function bytesOf(db: Database<never, never> | RecordDb | IndexDb): number {
  const stats = db.getStats() as Record<string, number>;
  const pages = stats.treeBranchPageCount! + stats.treeLeafPageCount! + stats.overflowPages!;
  return pages * stats.pageSize!;
}

async function commitError(error: unknown): Promise<unknown> {
  // lmdb rejects the callers with a general error and keeps the cause in a promise that rejects with it.
  const cause = (error as { commitError?: Promise<never> }).commitError;
  if (!cause) return storeError(error);
  return storeError(await cause.catch((reason: unknown) => reason));
}

const FULL = new Set<unknown>([28, 122, 27, -30792, 'ENOSPC', 'EDQUOT', 'EFBIG']);

/** Disk full (ENOSPC, EDQUOT, EFBIG, the map's limit) gets its own code: an operator can act on it. */
export function storeError(error: unknown): unknown {
  if (error instanceof TidepoolError) return error;
  const { code, message } = error as { code?: unknown; message?: string };
  if (FULL.has(code) || /no space left|disk quota|file too large|MDB_MAP_FULL|mapsize limit/i.test(message ?? '')) {
    return new TidepoolError('disk_full', 'the event log cannot grow: the disk or its quota is full', { cause: error });
  }
  return new TidepoolError('log_failed', `the event log failed: ${message}`, { cause: error });
}
