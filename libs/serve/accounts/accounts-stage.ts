import { UndecodableError } from '#libs/core/errors.js';
import type { EventLog, KeyedRecord, LogWriter } from '#libs/pipeline/event-log/log.js';
import { decodeAccountRecord, topicKeyOf } from '#libs/protocol/accounts/account-record.js';
import { decodeUsage, encodeUsage, type UsageRecord, usageKeyOf } from '#libs/protocol/accounts/usage-record.js';
import { accountsTopic, type TopicSpec, usageTopic } from '#libs/protocol/topics.js';
import type { Directory } from './directory.js';
import type { UsageLedger } from './usage-ledger.js';

export interface AccountsStageParts {
  log: Pick<EventLog, 'ensureTopics' | 'openWriter' | 'readKeyed'>;
  directory: Directory;
  ledger: UsageLedger;
  /** Names this process among those that write; unique among them. */
  writerId: string;
  logger: { warn(fields: object, message: string): void };
  now: () => number;
  /** Called once every key is known. */
  read: () => void;
  pollMs?: number;
  usageMs?: number;
  /** The log belongs to this process: it need not say that it is alive. */
  alone?: boolean;
}

const RECORDS = 500;
/** With what comes between, well below a second. */
const USAGE_EVERY_MS = 400;
const ALIVE_EVERY_MS = 10_000;

/**
 * Follows the topics `accounts` and `usage`, and states this process's own usage twice a second: a kill loses less than its
 * last second. A process that was not used writes nothing but, where there may be others, that it is alive. A failure ends `run`; the next one continues where this one ended.
 */
export class AccountsStage {
  readonly name = 'accounts';
  private readonly next = new Map<string, bigint>();
  private writer: LogWriter | null = null;
  private unreadable = 0;
  private following: Promise<void> = Promise.resolve();

  constructor(private readonly parts: AccountsStageParts) {}

  /** Reads what accounts and keys there are and what was spent, to the end of both topics. */
  async open(): Promise<void> {
    await this.parts.log.ensureTopics([accountsTopic, usageTopic]);
    await this.follow();
    await this.read(usageTopic, (record) => this.takeUsage(record));
    this.parts.read();
  }

  /** Reads the topic of accounts to its end: after that every change that was made before is known here. */
  follow(): Promise<void> {
    const next = this.following
      .catch(() => undefined)
      .then(() => this.read(accountsTopic, (record) => this.takeAccount(record)));
    this.following = next;
    return next;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { log, writerId, pollMs = 200, usageMs = USAGE_EVERY_MS, alone = false } = this.parts;
    await this.open();
    this.writer = await log.openWriter(writerId);
    try {
      let usageAt = Number.NEGATIVE_INFINITY;
      let aliveAt = Number.NEGATIVE_INFINITY;
      while (!signal.aborted) {
        await this.follow();
        if (performance.now() - usageAt >= usageMs) {
          usageAt = performance.now();
          await this.read(usageTopic, (record) => this.takeUsage(record));
          await this.publish();
        }
        if (!alone && performance.now() - aliveAt >= ALIVE_EVERY_MS) {
          aliveAt = performance.now();
          await this.append([{ kind: 'instance', instance: this.parts.ledger.instance, at: this.parts.now() }]);
        }
        await rest(pollMs, signal);
      }
      await this.publish();
      if (!alone) await this.leave();
    } finally {
      const { writer } = this;
      this.writer = null;
      await writer.close();
    }
  }

  /** Appends what the topic does not have yet. */
  private async publish(): Promise<void> {
    const open = this.parts.ledger.unpublished();
    for (let from = 0; from < open.length; from += RECORDS) {
      const some = open.slice(from, from + RECORDS);
      await this.append(some.map(({ record }) => record));
      for (const { done } of some) done();
    }
  }

  private append(records: readonly UsageRecord[]): Promise<void> {
    return this.writer!.append(
      records.map((record) => ({ topic: usageTopic, key: usageKeyOf(record), value: encodeUsage(record) })),
    );
  }

  private leave(): Promise<void> {
    const key = usageKeyOf({ kind: 'instance', instance: this.parts.ledger.instance, at: 0 });
    return this.writer!.append([{ topic: usageTopic, key, value: null }]);
  }

  private takeAccount({ key, value }: KeyedRecord): void {
    if (value === null) return;
    const record = decodeAccountRecord(value);
    if (topicKeyOf(record) !== key) throw new UndecodableError('account record', 'it is under another key');
    this.parts.directory.put(record);
  }

  private takeUsage({ key, value }: KeyedRecord): void {
    if (value === null) {
      this.parts.ledger.dropped(key);
      return;
    }
    const record = decodeUsage(value);
    if (usageKeyOf(record) !== key) throw new UndecodableError('usage', 'it is under another key');
    this.parts.ledger.take(record);
  }

  private async read(topic: TopicSpec, take: (record: KeyedRecord) => void): Promise<void> {
    for (let records = RECORDS; records === RECORDS; ) {
      const batch = await this.parts.log.readKeyed(topic, 0, this.next.get(topic.name) ?? 0n, RECORDS);
      for (const record of batch) {
        this.takeOrLeave(record, take);
        this.next.set(topic.name, record.offset + 1n);
      }
      records = batch.length;
    }
  }

  /** A record of a newer program is left: the others are read. */
  private takeOrLeave(record: KeyedRecord, take: (record: KeyedRecord) => void): void {
    try {
      take(record);
    } catch (error) {
      if (!(error instanceof UndecodableError)) throw error;
      if (this.unreadable++ > 0) return;
      this.parts.logger.warn({ reason: error.message }, 'a record of accounts or usage cannot be read; it is left');
    }
  }
}

function rest(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
  });
}
