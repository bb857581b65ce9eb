import { LaunchFiles } from '#libs/event-log/launch-files.js';
import type { EventLog, LogWriter } from '#libs/event-log/log.js';
import { launchFileName } from '#libs/protocol/launch-files.js';
import { launchMetadataTopic } from '#libs/protocol/topics.js';
import type { MetadataStore } from './metadata-store.js';

/** Metadata files in the log, where every router and ingest of the installation find them. */
export class LogMetadata extends LaunchFiles implements MetadataStore {
  private writer: LogWriter | null = null;

  constructor(
    log: Pick<EventLog, 'ensureTopics' | 'openWriter' | 'readKeyed'>,
    private readonly writerId: string,
  ) {
    super(log);
  }

  put(body: Buffer): Promise<void> {
    return this.inTurn(async () => {
      const key = launchFileName(body);
      if (this.knows(key)) return;
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

  async close(): Promise<void> {
    await this.inTurn(async () => {
      const { writer } = this;
      this.writer = null;
      await writer?.close();
    });
  }
}
