import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { leaseTopic } from '#libs/protocol/topics.js';
import { type LeaseRecord, parseLease } from './lease-record.js';

const RECORDS = 1_000;

/** The newest record of a chain's lease. Each call reads what came since the one before; calls take turns. */
export class LeaseReader {
  private next = 0n;
  private found: LeaseRecord | null = null;
  private queue: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly log: Pick<EventLog, 'readKeyed'>,
    private readonly chain: string,
  ) {}

  /** As of the time of the call, or later. Null while no process has ever held it. The topic must exist. */
  newest(): Promise<LeaseRecord | null> {
    const turn = this.queue.then(() => this.readOn());
    this.queue = turn.catch(() => undefined);
    return turn;
  }

  private async readOn(): Promise<LeaseRecord | null> {
    for (;;) {
      const records = await this.log.readKeyed(leaseTopic(this.chain), 0, this.next, RECORDS);
      const last = records.at(-1);
      if (last !== undefined) this.next = last.offset + 1n;
      const said = records.findLast(({ key, value }) => key === this.chain && value !== null);
      if (said !== undefined) this.found = parseLease(this.chain, said.value!);
      if (records.length < RECORDS) return this.found;
    }
  }
}
