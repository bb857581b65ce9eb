import { FencedError } from '#libs/core/errors.js';
import type { EventLog, LogWriter } from '#libs/pipeline/event-log/log.js';
import { pause } from '#libs/platform/backoff.js';
import type { SupervisedStage } from '#libs/platform/supervisor.js';
import { ingestStatusTopic } from '#libs/protocol/topics.js';
import { encodeIngestStatus, type IngestStatus, STATUS_REPEATED_MS } from '#libs/serve/contract/ingest-status.js';

export interface StatusPublisherDeps {
  log: EventLog;
  chain: string;
  /** The status at this moment. */
  status: (at: number) => IngestStatus;
  logger: { warn(fields: object, message: string): void };
  everyMs?: number;
  repeatMs?: number;
  maxRetryMs?: number;
  now?: () => number;
  /** Milliseconds on a clock that never steps: when to repeat. */
  steady?: () => number;
}

/**
 * Publishes the status of one chain's ingest to the topic `ingest-status`: on a change, and at intervals without one.
 * Nothing depends on it: a log that refuses it costs a line in the terminal and a later try, never a stage.
 */
export class StatusPublisher implements SupervisedStage {
  readonly name: string;
  private writer: LogWriter | null = null;
  private published = '';
  private publishedAt = Number.NEGATIVE_INFINITY;
  private readonly now: () => number;
  private readonly steady: () => number;

  constructor(private readonly deps: StatusPublisherDeps) {
    this.name = `status.${deps.chain}`;
    this.now = deps.now ?? Date.now;
    this.steady = deps.steady ?? (() => performance.now());
  }

  /** Ends with the signal. Rejects when another process publishes the status of this chain. */
  async run(signal: AbortSignal): Promise<void> {
    const { chain, logger, everyMs = 1_000, maxRetryMs = 30_000 } = this.deps;
    let retryMs = everyMs;
    let failing = false;
    try {
      while (!signal.aborted) {
        try {
          await this.publish();
          failing = false;
          retryMs = everyMs;
        } catch (error) {
          if (error instanceof FencedError) throw error;
          if (!failing) logger.warn({ chain, err: error }, 'the status could not be published; it is tried again');
          failing = true;
          await this.drop();
          retryMs = Math.min(retryMs * 2, maxRetryMs);
        }
        await pause(failing ? retryMs : everyMs, signal);
      }
      // The last status, so that a reader sees the end at once.
      if (!failing) await this.publish(true).catch((error: unknown) => this.endNotPublished(error));
    } finally {
      await this.drop();
    }
  }

  private async publish(ended = false): Promise<void> {
    const { deps } = this;
    const { log } = deps;
    const at = this.now();
    const status = deps.status(at);
    if (ended) {
      status.state = 'stopped';
      status.trouble = 'the reading of the chain was ended, or is held while the disk is full';
    }
    const content = JSON.stringify({ ...status, at: 0 });
    const isFresh = this.steady() - this.publishedAt < (deps.repeatMs ?? STATUS_REPEATED_MS);
    if (!ended && content === this.published && isFresh) return;
    if (this.writer === null) {
      await log.ensureTopics([ingestStatusTopic]);
      this.writer = await log.openWriter(this.name);
    }
    await this.writer.append([{ topic: ingestStatusTopic, key: deps.chain, value: encodeIngestStatus(status) }]);
    this.published = content;
    this.publishedAt = this.steady();
  }

  private endNotPublished(error: unknown): void {
    this.deps.logger.warn({ chain: this.deps.chain, err: error }, 'the end could not be published');
  }

  private async drop(): Promise<void> {
    const { writer } = this;
    this.writer = null;
    try {
      await writer?.close();
    } catch (error) {
      this.deps.logger.warn({ chain: this.deps.chain, err: error }, 'the writer of the status could not be closed');
    }
  }
}
