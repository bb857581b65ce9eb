import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Database, open, type RootDatabase } from 'lmdb';
import { TidepoolError } from '#libs/core/errors.js';
import type { TopicSpec } from '#libs/protocol/topics.js';
import { checkTopicSpec, closedLog, topicMismatch, unknownTopic } from '../append-rules.js';
import { diskIsFull } from './disk-space.js';

export type RecordDb = Database<Buffer, number>;
export type IndexDb = Database<number, Buffer>;

/** One topic as the environment stores it. */
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
  private readonly dir: string;
  private readonly root: RootDatabase<Buffer, number>;
  private readonly topics = new Map<string, StoredTopic>();
  private closing: Promise<void> | null = null;
  private untilCheck = TRANSACTIONS_PER_CHECK;

  constructor(dir: string, initialMapBytes?: number) {
    const path = resolve(dir);
    this.dir = path;
    try {
      mkdirSync(path, { recursive: true });
      this.root = open<Buffer, number>({
        path,
        noSubdir: false,
        maxDbs: 4096,
        encoding: 'binary',
        overlappingSync: false,
        // With it lmdb keeps a promise without a handler, and a failed commit would end the process.
        eventTurnBatching: false,
        cache: false,
        ...(initialMapBytes === undefined ? {} : { mapSize: initialMapBytes }),
      });
      this.meta = this.root.openDB<unknown, string>({ name: 'meta', encoding: 'json' });
    } catch (error) {
      throw this.failure(error);
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
      if (--this.untilCheck === 0) {
        this.untilCheck = TRANSACTIONS_PER_CHECK;
        // A process that was killed in the middle of a read keeps pages of its time from being used again, until it is looked for.
        this.root.readerCheck();
      }
      return await this.root.transaction(action);
    } catch (error) {
      throw this.failure(await commitCause(error));
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
        this.meta.putSync(topicKey(name), { name, kind, partitions, retentionMs });
      }
    });
    for (const { name, kind, partitions, retentionMs } of specs) {
      this.topic(name).spec = { name, kind, partitions, retentionMs };
    }
  }

  topic(name: string): StoredTopic {
    const known = this.topics.get(name);
    if (known) return known;
    this.refresh();
    const spec = this.meta.get(topicKey(name)) as TopicSpec | undefined;
    if (!spec) throw unknownTopic(name);
    const topic = this.openTopic(spec);
    this.topics.set(name, topic);
    return topic;
  }

  /** The topic is not there any more; its databases stay, empty. */
  async forget(name: string): Promise<void> {
    await this.transact(() => void this.meta.removeSync(topicKey(name)));
    this.topics.delete(name);
  }

  private openTopic(spec: TopicSpec): StoredTopic {
    const { name } = spec;
    const each = <T>(make: (partition: number) => T): T[] => Array.from({ length: spec.partitions }, (_, i) => make(i));
    const records = { encoding: 'binary', keyEncoding: 'ordered-binary' } as const;
    const index = { encoding: 'ordered-binary', keyEncoding: 'binary' } as const;
    try {
      return {
        spec,
        partitions: each((i) => this.root.openDB<Buffer, number>({ name: `${name}/${i}`, ...records })),
        indexes:
          spec.kind === 'compacted'
            ? each((i) => this.root.openDB<number, Buffer>({ name: `${name}/${i}/keys`, ...index }))
            : [],
      };
    } catch (error) {
      throw this.failure(error);
    }
  }

  topicNames(): string[] {
    this.refresh();
    const names: string[] = [];
    for (const key of this.meta.getKeys({ start: 'topic:', end: 'topic;' })) names.push(key.slice('topic:'.length));
    return names.sort();
  }

  /** A full disk gets its own code: an operator can act on it. */
  private failure(error: unknown): unknown {
    if (error instanceof TidepoolError) return error;
    const { code, message } = error as { code?: number; message?: string };
    const full = code === EIO ? diskIsFull(this.dir, DATA_FILE) : code !== undefined && OUT_OF_SPACE.has(code);
    return full
      ? new TidepoolError('disk_full', `the event log in ${this.dir} cannot grow: its disk is full`, { cause: error })
      : new TidepoolError('log_failed', `the event log in ${this.dir} failed: ${message}`, { cause: error });
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
export function usedBytes(db: Database<never, never> | RecordDb | IndexDb): number {
  const stats = db.getStats() as Record<string, number>;
  const pages = stats.treeBranchPageCount! + stats.treeLeafPageCount! + stats.overflowPages!;
  return pages * stats.pageSize!;
}

/** lmdb rejects the callers with a general error and keeps the cause in a promise that rejects with it. */
async function commitCause(error: unknown): Promise<unknown> {
  const { commitError } = error as { commitError?: Promise<never> };
  return commitError ? commitError.catch((cause: unknown) => cause) : error;
}

const TRANSACTIONS_PER_CHECK = 256;
const EIO = 5;
/** ENOSPC, EDQUOT, EFBIG, MDB_MAP_FULL. */
const OUT_OF_SPACE = new Set([28, 122, 27, -30792]);
const DATA_FILE = 'data.mdb';
