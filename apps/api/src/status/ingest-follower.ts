import { ingestStatusTopic, topicByName } from '#libs/protocol/topics.js';
import { decodeIngestStatus, type IngestStatus } from '#libs/serve/contract/ingest-status.js';
import type { TopicStatus } from '#libs/serve/contract/rest/status-body.js';
import type { HttpLogger } from '#libs/serve/http/listener.js';
import type { StatusLog } from '../access/api-parts.js';

const PAGE = 1_000;
/** Asked for again only after so long, however many ask. */
const STATUS_SHARED_MS = 500;
const TOPICS_SHARED_MS = 3_000;
/** A log that does not answer by then is not waited for: what was known is shown. */
const MOST_WAITED_MS = 2_000;

/**
 * What each chain's ingest said last, and what the log holds. Read when a request asks: only what was appended since. A
 * log that does not answer costs a request a moment at most; `answers` says whether what is known is fresh.
 */
export class IngestFollower {
  private readonly said = new Map<string, IngestStatus>();
  private known: TopicStatus[] = [];
  private offset = 0n;
  private ensured = false;
  private readonly statuses: Shared;
  private readonly topicStates: Shared;

  constructor(
    private readonly log: StatusLog,
    logger: HttpLogger,
    now: () => number = () => performance.now(),
  ) {
    this.statuses = new Shared(() => this.read(), STATUS_SHARED_MS, logger, now);
    this.topicStates = new Shared(() => this.describe(), TOPICS_SHARED_MS, logger, now);
  }

  /** Brings both up to date, as far as the log answers in time. */
  async look(): Promise<void> {
    await Promise.all([this.statuses.look(), this.topicStates.look()]);
  }

  of(chain: string): IngestStatus | null {
    return this.said.get(chain) ?? null;
  }

  topics(): TopicStatus[] {
    return this.known;
  }

  /** False when the log did not answer the last time. */
  get answers(): boolean {
    return this.statuses.answered && this.topicStates.answered;
  }

  private async read(): Promise<void> {
    if (!this.ensured) await this.log.ensureTopics([ingestStatusTopic]);
    this.ensured = true;
    for (;;) {
      const records = await this.log.readKeyed(ingestStatusTopic, 0, this.offset, PAGE);
      for (const { key, value, offset } of records) {
        const status = value === null ? null : decodeIngestStatus(value);
        if (status === null) this.said.delete(key);
        else this.said.set(key, status);
        this.offset = offset + 1n;
      }
      if (records.length < PAGE) return;
    }
  }

  private async describe(): Promise<void> {
    const states = await this.log.describe();
    this.known = states
      .filter(({ name }) => topicByName(name) !== null)
      .map(({ name, partitions }) => {
        const bytes = partitions.map((partition) => partition.bytes);
        return {
          name,
          records: partitions.reduce((sum, { records }) => sum + records, 0),
          bytes: bytes.includes(null) ? null : bytes.reduce<number>((sum, part) => sum + (part ?? 0), 0),
          firstSeq: partitions[0]?.firstSeq ?? null,
          lastSeq: partitions[0]?.lastSeq ?? null,
        };
      })
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

/** Work that is done at most once at a time and at most so often, and waited for only so long. */
class Shared {
  answered = true;
  private running: Promise<void> | null = null;
  private doneAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly work: () => Promise<void>,
    private readonly sharedMs: number,
    private readonly logger: HttpLogger,
    private readonly now: () => number,
  ) {}

  async look(): Promise<void> {
    if (this.running === null && this.now() - this.doneAt < this.sharedMs) return;
    this.running ??= this.run();
    let timer: NodeJS.Timeout | undefined;
    const enough = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), MOST_WAITED_MS);
    });
    const outcome = await Promise.race([this.running, enough]);
    clearTimeout(timer);
    if (outcome === 'late') this.answered = false;
  }

  private async run(): Promise<void> {
    try {
      await this.work();
      this.answered = true;
    } catch (error) {
      if (this.answered) this.logger.warn({ err: error }, 'status: the event log does not answer');
      this.answered = false;
    } finally {
      this.doneAt = this.now();
      this.running = null;
    }
  }
}
