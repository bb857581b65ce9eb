import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TopicSpec } from '#libs/protocol/topics.js';
import type { EventLog, KeyedRecord } from './log.js';

/**
 * All records of one partition of a keyed or compacted topic, page by page, also those that are appended while it is read: of a key
 * that is replaced meanwhile the newer value comes later. No page is empty.
 */
export async function* keyedPages(
  log: Pick<EventLog, 'readKeyed'>,
  topic: TopicSpec,
  { partition = 0, records }: { partition?: number; records: number },
): AsyncGenerator<KeyedRecord[]> {
  for (let offset = 0n; ; ) {
    const page = await log.readKeyed(topic, partition, offset, records);
    if (page.length === 0) return;
    offset = page.at(-1)!.offset + 1n;
    yield page;
    await nextTurn();
  }
}
