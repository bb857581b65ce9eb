import type { EventLog, LogWriter } from '#libs/event-log/log.js';
import { launchMetadataTopic } from '#libs/protocol/topics.js';
import { isMetadataName, metadataName } from './metadata.js';
import type { MetadataStore } from './metadata-store.js';

const RECORDS = 500;

/**
 * Metadata files in the topic `launch-metadata`: key = name, value = content. In memory is where each one lies; its content
 * is read from the topic when it is asked for. A name follows from its content, so that what several routers write can only
 * agree, and what a record holds is checked by its name.
 */
export class LogMetadata implements MetadataStore {
  private readonly offsets = new Map<string, bigint>();
  private next = 0n;
  private writer: LogWriter | null = null;
  private made: Promise<void> | null = null;
  private turn: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly log: Pick<EventLog, 'ensureTopics' | 'openWriter' | 'readKeyed'>,
    private readonly writerId: string,
  ) {}

  put(body: Buffer): Promise<void> {
    return this.inTurn(async () => {
      const key = metadataName(body);
      if (this.offsets.has(key)) return;
      await this.topic();
      try {
        this.writer ??= await this.log.openWriter(this.writerId);
        await this.writer.append([{ topic: launchMetadataTopic, key, value: body }]);
      } catch (error) {
        // The outcome is unknown: the next one takes over again, and the same content twice does no harm.
        const lost = this.writer;
        this.writer = null;
        await lost?.close().catch(() => undefined);
        throw error;
      }
    });
  }

  find(name: string): Promise<Uint8Array | null> {
    if (!isMetadataName(name)) return Promise.resolve(null);
    return this.inTurn(async () => {
      await this.topic();
      if (!this.offsets.has(name)) await this.follow();
      const offset = this.offsets.get(name);
      if (offset === undefined) return null;
      const found = await this.at(offset, name);
      if (found !== null) return found;
      // Compaction took that record for a later one of the same name.
      await this.follow();
      const later = this.offsets.get(name)!;
      return later === offset ? null : this.at(later, name);
    });
  }

  async close(): Promise<void> {
    await this.inTurn(async () => {
      const { writer } = this;
      this.writer = null;
      await writer?.close();
    });
  }

  private async at(offset: bigint, name: string): Promise<Uint8Array | null> {
    const [record] = await this.log.readKeyed(launchMetadataTopic, 0, offset, 1);
    const value = record?.key === name ? record.value : null;
    return value !== null && metadataName(value) === name ? value : null;
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

  private topic(): Promise<void> {
    this.made ??= this.log.ensureTopics([launchMetadataTopic]).catch((error: unknown) => {
      this.made = null;
      throw error;
    });
    return this.made;
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.turn.then(work, work);
    this.turn = mine.catch(() => undefined);
    return mine;
  }
}
