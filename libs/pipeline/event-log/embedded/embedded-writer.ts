import { FencedError, TidepoolError } from '#libs/core/errors.js';
import { checkAppend, checkContinuity, isSequencedAppend, type KeyedAppend, unknownTopic } from '../append-rules.js';
import type { Append, LogWriter } from '../log.js';
import { type EmbeddedEnv, edgeKey, type StoredTopic } from './embedded-env.js';
import { putKeyed } from './embedded-keyed.js';

const tokenKey = (writerId: string): string => `writer:${writerId}`;

/** Takes over a writer id by raising its token; every older writer is refused from then on (rule 1). */
export async function openEmbeddedWriter(
  env: EmbeddedEnv,
  writerId: string,
  now: () => number,
  wake: (topics: readonly string[]) => void,
): Promise<EmbeddedWriter> {
  const token = await env.transact(() => {
    const next = ((env.meta.get(tokenKey(writerId)) as number | undefined) ?? 0) + 1;
    env.meta.putSync(tokenKey(writerId), next);
    return next;
  });
  return new EmbeddedWriter(env, writerId, token, now, wake);
}

/**
 * Compare-and-append: one lmdb transaction checks the fencing token and that every seq is next, then writes (rule 5).
 * All checks come before the first write, so a refusal leaves nothing behind. After any other failure the writer is
 * dead, whether the transaction committed or not: the caller opens a new one and reads the last seq (rule 2).
 */
class EmbeddedWriter implements LogWriter {
  private dead: TidepoolError | null = null;
  constructor(
    private readonly env: EmbeddedEnv,
    readonly writerId: string,
    private readonly token: number,
    private readonly now: () => number,
    private readonly wake: (topics: readonly string[]) => void,
  ) {}

  async append(records: Append[]): Promise<void> {
    if (this.dead) throw this.dead;
    if (records.length === 0) return;
    const topics = new Map<string, StoredTopic>();
    for (const record of records) {
      const { name } = record.topic;
      if (!topics.has(name)) topics.set(name, this.env.topic(name));
      checkAppend({ ...record, topic: topics.get(name)!.spec } as Append);
    }
    let refusal: unknown = null;
    try {
      await this.env.transact(() => {
        try {
          this.checkToken();
          checkContinuity(records, (name) => (edgeKey(topics.get(name)!.partitions[0]!, 'last') ?? -1) + 1);
        } catch (error) {
          refusal = error;
          return;
        }
        this.write(records, topics);
      });
    } catch (error) {
      this.dead = error as TidepoolError;
      throw error;
    }
    if (refusal !== null) {
      if (refusal instanceof FencedError) this.dead = refusal;
      throw refusal;
    }
    this.wake([...topics.keys()]);
  }

  holdsLease(): Promise<boolean> {
    if (this.dead && !(this.dead instanceof FencedError)) return Promise.reject(this.dead);
    this.env.refresh();
    return Promise.resolve(this.env.meta.get(tokenKey(this.writerId)) === this.token);
  }

  close(): Promise<void> {
    this.dead ??= new TidepoolError('writer_closed', `writer ${this.writerId} was closed`);
    return Promise.resolve();
  }

  private checkToken(): void {
    if (this.env.meta.get(tokenKey(this.writerId)) !== this.token) throw new FencedError(this.writerId);
  }

  private write(records: Append[], topics: Map<string, StoredTopic>): void {
    const keyed = new Map<string, KeyedAppend[]>();
    for (const record of records) {
      const topic = topics.get(record.topic.name);
      if (!topic) throw unknownTopic(record.topic.name);
      if (isSequencedAppend(record)) {
        topic.partitions[0]!.putSync(record.seq, record.value as Buffer, { append: true });
        continue;
      }
      const list = keyed.get(record.topic.name) ?? [];
      list.push({ topic: topic.spec, key: Buffer.from(record.key), value: record.value });
      keyed.set(record.topic.name, list);
    }
    for (const [name, list] of keyed) putKeyed(topics.get(name)!, list, this.now());
  }
}
