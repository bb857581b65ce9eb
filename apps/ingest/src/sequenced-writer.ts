import { FencedError, LogBrokenError, TidepoolError } from '#libs/core/errors.js';
import type { Steps } from '#libs/core/steps.js';
import type { Append, EventLog, LogWriter, SequencedRecord } from '#libs/pipeline/event-log/log.js';
import type { TopicSpec } from '#libs/protocol/topics.js';

/** What the log holds now is unknown: this writer is done, a new one has to read the log again (protocol rule 2). */
export class UnknownOutcomeError extends TidepoolError {
  constructor(cause: unknown) {
    super('unknown_outcome', `append with unknown outcome: ${(cause as Error)?.message ?? cause}`, { cause });
  }
}

export interface SequencedValue {
  seq: number;
  value: Uint8Array;
  /** Records for other topics that must appear together with this group. */
  alsoAppend: Append[];
}

/**
 * The one writer of a sequenced topic, for every stage that has one. It fences earlier writers and then reads the last
 * group (protocol rule 1). After an append with an unknown outcome it does both again and continues only where the log ends
 * with its own bytes, before the append or after it; it never repeats from memory alone (rule 2). After any failure that
 * it throws it refuses all further work. A second writer makes it throw FencedError.
 */
export class SequencedWriter {
  protected writer: LogWriter | null = null;
  protected last: SequencedRecord | null = null;

  constructor(
    private readonly log: EventLog,
    private readonly writerId: string,
    private readonly topic: TopicSpec,
    private readonly step: Steps,
    private readonly stepPrefix: string,
  ) {}

  /** -1 while the topic is empty. */
  get lastSeq(): number {
    return this.last?.seq ?? -1;
  }

  get lastGroup(): SequencedRecord | null {
    return this.last;
  }

  /** Fences earlier writers, then reads the last group; answers its seq. */
  async open(): Promise<number> {
    await this.close();
    await this.step(`${this.stepPrefix}.before-fence`);
    this.writer = await this.log.openWriter(this.writerId);
    await this.step(`${this.stepPrefix}.after-fence`);
    this.last = await this.log.lastGroup(this.topic);
    return this.lastSeq;
  }

  async append(groups: SequencedValue[]): Promise<void> {
    const [first] = groups;
    if (first === undefined) return;
    this.requireOpen();
    if (first.seq !== this.lastSeq + 1) {
      throw new LogBrokenError(`${this.writerId}: next seq is ${this.lastSeq + 1}, asked to append ${first.seq}`);
    }
    await this.write(this.recordsOf(groups), async (error) => this.recover(groups, error));
    this.last = newest(groups);
    await this.step(`${this.stepPrefix}.after-append`);
  }

  /** Records of other topics under this writer's fence. The log does not tell afterwards whether they are there. */
  async appendKeyed(records: Append[]): Promise<void> {
    await this.write(records, (error) => Promise.reject(new UnknownOutcomeError(error)));
    await this.step(`${this.stepPrefix}.after-append`);
  }

  async close(): Promise<void> {
    const { writer } = this;
    this.writer = null;
    await writer?.close();
  }

  protected recordsOf(groups: readonly SequencedValue[]): Append[] {
    return groups.flatMap(({ seq, value, alsoAppend }) => [{ topic: this.topic, seq, value }, ...alsoAppend]);
  }

  /** The log shows the result of the append: all of it is there, or nothing is and it is made again. */
  protected async recover(groups: SequencedValue[], cause: unknown): Promise<void> {
    const before = this.last;
    const after = newest(groups);
    await this.open();
    if (sameRecord(this.last, after)) return;
    // Another writer wrote in between, or a part of it is there: everything known of the log has to be read again.
    if (!sameRecord(this.last, before)) throw new UnknownOutcomeError(cause);
    await this.writer!.append(this.recordsOf(groups));
  }

  private requireOpen(): LogWriter {
    if (this.writer === null) throw new UnknownOutcomeError(`${this.writerId} is not open`);
    return this.writer;
  }

  private async write(records: Append[], recover: (error: unknown) => Promise<void>): Promise<void> {
    const writer = this.requireOpen();
    await this.step(`${this.stepPrefix}.before-append`);
    try {
      await writer.append(records).catch((error: unknown) => {
        if (isCertain(error)) throw error;
        return recover(error);
      });
    } catch (error) {
      // A writer that cannot even be closed has failed already: what made it fail is thrown.
      await this.close().catch(() => undefined);
      throw isCertain(error) ? error : new UnknownOutcomeError(error);
    }
  }
}

/** Failures that say what happened: nothing was written. */
const isCertain = (error: unknown): boolean =>
  error instanceof FencedError || error instanceof LogBrokenError || error instanceof UnknownOutcomeError;

const newest = (groups: readonly SequencedValue[]): SequencedRecord => {
  const { seq, value } = groups[groups.length - 1]!;
  return { seq, value };
};

const sameRecord = (a: SequencedRecord | null, b: SequencedRecord | null): boolean =>
  a === null || b === null ? a === b : a.seq === b.seq && Buffer.compare(a.value, b.value) === 0;
