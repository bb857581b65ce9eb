import type { Append, EventLog, LogWriter } from '#libs/bus/log.js';
import { FencedError, LogBrokenError } from '#libs/core/errors.js';
import type { Steps } from '#libs/core/steps.js';
import type { TopicSpec } from '#libs/protocol/topics.js';

/** What every stage of the pipeline shows of itself. `run` ends when the signal aborts and throws when it cannot go on. */
export interface Stage {
  readonly name: string;
  run(signal: AbortSignal): Promise<void>;
  status(): StageStatus;
}

export interface StageStatus {
  stage: string;
  chain: string;
  seq: number | null;
  height: number | null;
  detail: Record<string, string | number | boolean | null>;
}

export interface SequencedValue {
  seq: number;
  value: Uint8Array;
  /** Records for other topics that must appear together with this group. */
  beside: Append[];
}

/**
 * The one writer of a sequenced topic. After an append with an unknown outcome it fences again and reads what the log
 * really holds; it never repeats from memory alone (protocol rules 1, 2). A second writer makes it throw FencedError.
 */
export class SequencedWriter {
  protected writer: LogWriter | null = null;
  protected last = -1;

  constructor(
    private readonly log: EventLog,
    private readonly writerId: string,
    private readonly topic: TopicSpec,
    private readonly step: Steps,
    private readonly stepPrefix: string,
  ) {}

  get lastSeq(): number {
    return this.last;
  }

  /** Fences earlier writers, then reads the last seq. */
  async open(): Promise<number> {
    await this.writer?.close();
    await this.step(`${this.stepPrefix}.before-fence`);
    this.writer = await this.log.openWriter(this.writerId);
    await this.step(`${this.stepPrefix}.after-fence`);
    this.last = (await this.log.lastGroup(this.topic))?.seq ?? -1;
    return this.last;
  }

  async append(groups: SequencedValue[]): Promise<void> {
    if (groups.length === 0) return;
    if (this.writer === null) throw new Error(`${this.writerId} is not open`);
    const first = groups[0]!;
    if (first.seq !== this.last + 1) {
      throw new LogBrokenError(`${this.writerId}: next seq is ${this.last + 1}, asked to append ${first.seq}`);
    }
    await this.step(`${this.stepPrefix}.before-append`);
    try {
      await this.writer.append(groups.flatMap((group) => this.records(group)));
      this.last = groups[groups.length - 1]!.seq;
    } catch (error) {
      if (error instanceof FencedError || error instanceof LogBrokenError) throw error;
      await this.recover(groups, error);
    }
    await this.step(`${this.stepPrefix}.after-append`);
  }

  async close(): Promise<void> {
    await this.writer?.close();
    this.writer = null;
  }

  protected records(group: SequencedValue): Append[] {
    return [{ topic: this.topic, seq: group.seq, value: group.value }, ...group.beside];
  }

  protected async recover(groups: SequencedValue[], cause: unknown): Promise<void> {
    const from = groups[0]!.seq;
    const last = await this.open();
    const to = groups[groups.length - 1]!.seq;
    if (last !== from - 1 && last !== to) {
      throw new LogBrokenError(
        `${this.writerId}: the log ends at ${last} after an append of ${from}..${to} with an unknown outcome (${String(cause)})`,
      );
    }
    if (last === to) return;
    await this.writer!.append(groups.flatMap((group) => this.records(group)));
    this.last = to;
  }
}
