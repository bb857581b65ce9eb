import { LaunchFiles } from '#libs/pipeline/epochs/launch-files.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { launchFileName, launchMarkKeys } from '#libs/protocol/launch-files.js';
import { launchMetadataTopic } from '#libs/protocol/topics.js';
import type { MetadataStore } from './metadata-store.js';
import { outdatedFiles, type WAITING_BOUNDS } from './outdated-files.js';

/** Metadata files in the log, where every router and ingest of the installation find them. A new one waits for its token. */
export class LogMetadata extends LaunchFiles implements MetadataStore {
  constructor(
    log: Pick<EventLog, 'ensureTopics' | 'openWriter' | 'readKeyed'>,
    writerId: string,
    private readonly now: () => number,
    private readonly bounds?: typeof WAITING_BOUNDS,
  ) {
    super(log, writerId);
  }

  put(body: Buffer, chain: string): Promise<void> {
    return this.inTurn(async () => {
      await this.follow();
      const name = launchFileName(body);
      if (this.stays(name)) return;
      const [at, bytes] = [this.now(), body.length];
      const outdated = outdatedFiles(this.waiting, this.followedTimes, { name, bytes }, at, this.bounds);
      await this.append([
        ...outdated.flatMap((old) => [this.gone(old), this.gone(launchMarkKeys.waiting(old))]),
        // Also where it is there already: another router may be about to drop it.
        { topic: launchMetadataTopic, key: name, value: body },
        this.mark(launchMarkKeys.waiting(name), { chain, at, bytes }),
      ]);
    });
  }
}
