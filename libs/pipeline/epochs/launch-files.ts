import type { Append, EventLog, LogWriter } from '#libs/pipeline/event-log/log.js';
import {
  encodeLaunchMark,
  isLaunchFileName,
  launchFileName,
  launchMark,
  launchMarkKeys,
  type WaitingFile,
} from '#libs/protocol/launch-files.js';
import { launchMetadataTopic } from '#libs/protocol/topics.js';

const RECORDS = 500;
type Log = Pick<EventLog, 'ensureTopics' | 'openWriter' | 'readKeyed'>;

/**
 * Metadata files in the topic `launch-metadata`: key = name, value = content. In memory is where each one is; its content
 * is read from the topic when it is asked for. A name follows from its content, so that what several routers write can only
 * agree, and what a record holds is checked by its name. Next to the files are marks. Invariant: a file waits from its create on until
 * its token is seen, and never after that; one without a mark does not wait.
 */
export class LaunchFiles {
  /** Files that wait, those that were asked for last at the end. */
  protected readonly waiting = new Map<string, WaitingFile>();
  /** By chain, up to which block time its tokens were looked at. */
  protected readonly followedTimes = new Map<string, number>();
  private readonly seen = new Set<string>();
  private readonly offsets = new Map<string, bigint>();
  private next = 0n;
  private made: Promise<void> | null = null;
  private turn: Promise<unknown> = Promise.resolve();
  private writer: LogWriter | null = null;

  constructor(
    private readonly log: Log,
    private readonly writerId: string,
  ) {}

  /** The content of that name; null where there is none. */
  find(name: string): Promise<Uint8Array | null> {
    if (!isLaunchFileName(name)) return Promise.resolve(null);
    return this.inTurn(async () => {
      await this.topic();
      if (!this.offsets.has(name)) await this.follow();
      const offset = this.offsets.get(name);
      if (offset === undefined) return null;
      const found = await this.at(offset, name);
      if (found !== null) return found;
      // Compaction took that record for a later one of the same name.
      await this.follow();
      const later = this.offsets.get(name);
      return later === undefined || later === offset ? null : this.at(later, name);
    });
  }

  /** A token that exists has this file: it stays. */
  tokenSeen(name: string): Promise<void> {
    return this.inTurn(async () => {
      await this.follow();
      if (!this.waiting.has(name)) return;
      await this.append([this.mark(launchMarkKeys.seen(name), true), this.gone(launchMarkKeys.waiting(name))]);
    });
  }

  /** All tokens of a chain's blocks up to that time were looked at. */
  followed(chain: string, time: number): Promise<void> {
    return this.inTurn(() => this.append([this.mark(launchMarkKeys.followed(chain), time)]));
  }

  /** The time that was stated last; 0 for a chain that was never followed. */
  followedUntil(chain: string): Promise<number> {
    return this.inTurn(async () => {
      await this.follow();
      return this.followedTimes.get(chain) ?? 0;
    });
  }

  async close(): Promise<void> {
    await this.inTurn(() => this.release());
  }

  /** Of what was read so far. */
  protected stays(name: string): boolean {
    return this.offsets.has(name) && !this.waiting.has(name);
  }

  protected inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.turn.then(work, work);
    this.turn = mine.catch(() => undefined);
    return mine;
  }

  /** Reads on to the end of the topic. */
  protected async follow(): Promise<void> {
    await this.topic();
    for (let records = RECORDS; records === RECORDS; ) {
      const batch = await this.log.readKeyed(launchMetadataTopic, 0, this.next, RECORDS);
      for (const { key, offset, value } of batch) {
        if (!isLaunchFileName(key)) this.takeMark(key, value);
        else if (value === null) this.offsets.delete(key);
        else this.offsets.set(key, offset);
        this.next = offset + 1n;
      }
      records = batch.length;
    }
  }

  protected async append(records: Append[]): Promise<void> {
    await this.topic();
    try {
      this.writer ??= await this.log.openWriter(this.writerId);
      await this.writer.append(records);
    } catch (error) {
      // The outcome is unknown: the next one takes over again, and the same content twice does no harm.
      await this.release().catch(() => undefined);
      throw error;
    }
  }

  protected mark(key: string, value: WaitingFile | number | true): Append {
    return { topic: launchMetadataTopic, key, value: encodeLaunchMark(value) };
  }

  protected gone(key: string): Append {
    return { topic: launchMetadataTopic, key, value: null };
  }

  private takeMark(key: string, value: Uint8Array | null): void {
    const mark = launchMark(key, value);
    if (mark?.kind === 'gone') this.waiting.delete(mark.name);
    else if (mark?.kind === 'followed') this.followedTimes.set(mark.chain, mark.time);
    else if (mark?.kind === 'seen') {
      this.seen.add(mark.name);
      this.waiting.delete(mark.name);
    } else if (mark?.kind === 'waiting' && !this.seen.has(mark.name)) {
      this.waiting.delete(mark.name);
      this.waiting.set(mark.name, mark.file);
    }
  }

  private topic(): Promise<void> {
    this.made ??= this.log.ensureTopics([launchMetadataTopic]).catch((error: unknown) => {
      this.made = null;
      throw error;
    });
    return this.made;
  }

  private async at(offset: bigint, name: string): Promise<Uint8Array | null> {
    const [record] = await this.log.readKeyed(launchMetadataTopic, 0, offset, 1);
    const value = record?.key === name ? record.value : null;
    return value !== null && launchFileName(value) === name ? value : null;
  }

  private async release(): Promise<void> {
    const { writer } = this;
    this.writer = null;
    await writer?.close();
  }
}
