import { isLaunchFileName, launchFileName } from '#libs/protocol/launch-files.js';
import { launchMetadataTopic } from '#libs/protocol/topics.js';
import type { EventLog } from './log.js';

const RECORDS = 500;
type Log = Pick<EventLog, 'ensureTopics' | 'openWriter' | 'readKeyed'>;

/**
 * Metadata files in the topic `launch-metadata`: key = name, value = content. In memory is where each one lies; its content
 * is read from the topic when it is asked for. A name follows from its content, so that what several routers write can only
 * agree, and what a record holds is checked by its name.
 */
export class LaunchFiles {
  private readonly offsets = new Map<string, bigint>();
  private next = 0n;
  private made: Promise<void> | null = null;
  private turn: Promise<unknown> = Promise.resolve();

  constructor(protected readonly log: Log) {}

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

  protected knows(name: string): boolean {
    return this.offsets.has(name);
  }

  protected topic(): Promise<void> {
    this.made ??= this.log.ensureTopics([launchMetadataTopic]).catch((error: unknown) => {
      this.made = null;
      throw error;
    });
    return this.made;
  }

  protected inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.turn.then(work, work);
    this.turn = mine.catch(() => undefined);
    return mine;
  }

  private async at(offset: bigint, name: string): Promise<Uint8Array | null> {
    const [record] = await this.log.readKeyed(launchMetadataTopic, 0, offset, 1);
    const value = record?.key === name ? record.value : null;
    return value !== null && launchFileName(value) === name ? value : null;
  }

  /** Reads on to the end of the topic. */
  private async follow(): Promise<void> {
    for (let records = RECORDS; records === RECORDS; ) {
      const batch = await this.log.readKeyed(launchMetadataTopic, 0, this.next, RECORDS);
      for (const { key, offset, value } of batch) {
        if (value === null) this.offsets.delete(key);
        else this.offsets.set(key, offset);
        this.next = offset + 1n;
      }
      records = batch.length;
    }
  }
}
