import { setTimeout as delay } from 'node:timers/promises';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { type BlockSource, peekBlockSource } from '#libs/protocol/codec/peek-block-source.js';
import type { TopicSpec } from '#libs/protocol/topics.js';

/** Groups before the head among which its block surely is. */
const LOOK_BACK = 256;
const KEPT = 1_024;
const RETRY_MS = 1_000;

interface Seen extends BlockSource {
  seq: number;
}

/**
 * How the source saw the newest blocks: read from `blocks`, since facts do not carry what differs from one process to
 * another. It is for operators only: without an answer from the log the last known value is kept, and no quote waits
 * for it.
 */
export class HeadSource {
  private known: Seen | null = null;
  /** Above `known`, ascending. */
  private ahead: Seen[] = [];

  constructor(
    private readonly log: EventLog,
    private readonly blocks: TopicSpec,
  ) {}

  /** Of the newest block at or below the seq; null while none of those was read. */
  at(seq: number): BlockSource | null {
    while (this.ahead.length > 0 && this.ahead[0]!.seq <= seq) this.known = this.ahead.shift()!;
    return this.known;
  }

  /** Reads on until the signal aborts, beginning shortly below `position`. Never throws. */
  async run(position: () => number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const first = (await this.log.firstGroup(this.blocks))?.seq ?? 0;
        const read = this.ahead.at(-1) ?? this.known;
        const fromSeq = Math.max(first, position() - LOOK_BACK, (read?.seq ?? -1) + 1);
        for await (const batch of this.log.readGroups(this.blocks, { fromSeq, signal, maxGroups: 64 })) {
          for (const { seq, value } of batch) this.take(seq, value);
        }
      } catch {
        // The stage that follows facts meets the same log and says what is wrong with it.
        await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  private take(seq: number, value: Uint8Array): void {
    const seen = peekBlockSource(value);
    if (seen === null) return;
    this.ahead.push({ seq, ...seen });
    if (this.ahead.length > KEPT) this.known = this.ahead.shift()!;
  }
}
