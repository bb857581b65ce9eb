import { FencedError, UndecodableError } from '#libs/core/errors.js';
import { keyedPages } from '#libs/pipeline/event-log/keyed-pages.js';
import type { Append, EventLog } from '#libs/pipeline/event-log/log.js';
import {
  decodeUsage,
  encodeUsage,
  ROLLED_UP,
  type UsageDay,
  type UsageLine,
  usageDayOf,
  usageKeyOf,
} from '#libs/protocol/accounts/usage-record.js';
import { usageTopic } from '#libs/protocol/topics.js';

export interface UsageRollupParts {
  log: Pick<EventLog, 'ensureTopics' | 'openWriter' | 'readKeyed'>;
  now: () => number;
  everyMs?: number;
  /** Waits, until the signal at most. */
  pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

const WRITER = 'usage.rollup';
const RECORDS = 1_000;
const DAY_MS = 86_400_000;
const EVERY_MS = 3_600_000;
/** No process states anything of a day that is so long gone. */
const OPEN_DAYS = 7;
/** A process that said nothing for so long is gone. */
const GONE_MS = DAY_MS;
const GROUPS_PER_APPEND = 100;

/**
 * Makes one record of what many processes stated of an account and day, once no process states anything of that day any
 * more, and takes away the signs of life of those that are gone: the topic grows with accounts and days, not with
 * starts of processes. Old records go and the new one comes in one append, and a writer takes over before it reads, so
 * that nothing is counted twice where several do this.
 */
export class UsageRollup {
  readonly name = 'usage.rollup';

  constructor(private readonly parts: UsageRollupParts) {}

  async run(signal: AbortSignal): Promise<void> {
    const { log, pause, everyMs = EVERY_MS } = this.parts;
    await log.ensureTopics([usageTopic]);
    while (!signal.aborted) {
      await this.rollUp();
      await pause(everyMs, signal);
    }
  }

  /** How many records it took away. */
  async rollUp(): Promise<number> {
    if ((await this.due()).length === 0) return 0;
    try {
      return await this.write();
    } catch (error) {
      // Another process does it now.
      if (error instanceof FencedError) return 0;
      throw error;
    }
  }

  private async write(): Promise<number> {
    const writer = await this.parts.log.openWriter(WRITER);
    let gone = 0;
    try {
      const due = await this.due();
      for (let from = 0; from < due.length; from += GROUPS_PER_APPEND) {
        const appends = due.slice(from, from + GROUPS_PER_APPEND).flat();
        await writer.append(appends);
        gone += appends.filter((append) => append.value === null).length;
      }
    } finally {
      await writer.close();
    }
    return gone;
  }

  /** What there is to append, by groups that belong together. */
  private async due(): Promise<Append[][]> {
    const closedBefore = new Date(this.parts.now() - OPEN_DAYS * DAY_MS).toISOString().slice(0, 10);
    const days = new Map<string, Map<string, UsageDay>>();
    const dead = new Map<string, Append[]>();
    for await (const page of keyedPages(this.parts.log, usageTopic, { records: RECORDS })) {
      for (const { key, value } of page) {
        const place = usageDayOf(key);
        const name = place === null ? '' : `${place.account}/${place.day}`;
        days.get(name)?.delete(key);
        dead.delete(key);
        const record = value === null ? null : readable(value);
        if (record?.kind === 'day' && record.day < closedBefore) {
          const group = days.get(name) ?? new Map<string, UsageDay>();
          days.set(name, group.set(key, record));
        } else if (record?.kind === 'instance' && record.at < this.parts.now() - GONE_MS) {
          dead.set(key, [{ topic: usageTopic, key, value: null }]);
        }
      }
    }
    const groups = [...days.values()].filter((group) => group.size > 1).map((group) => rolledUp([...group.values()]));
    return [...groups, ...dead.values()];
  }
}

/** The old ones first: a reader in between knows too little rather than too much. */
function rolledUp(records: readonly UsageDay[]): Append[] {
  const lines = new Map<string, UsageLine>();
  for (const line of records.flatMap((record) => record.lines)) {
    const at = `${line.key} ${line.route}`;
    const before = lines.get(at) ?? { requests: 0, credits: 0, refused: 0 };
    lines.set(at, {
      ...{ key: line.key, route: line.route, requests: before.requests + line.requests },
      ...{ credits: before.credits + line.credits, refused: before.refused + line.refused },
    });
  }
  const { account, day } = records[0]!;
  const sum = (name: 'included' | 'extra') => records.reduce((all, record) => all + record[name], 0);
  const record: UsageDay = {
    ...{ kind: 'day', account, instance: ROLLED_UP, day, included: sum('included'), extra: sum('extra') },
    lines: [...lines.values()],
  };
  const old = records.filter(({ instance }) => instance !== ROLLED_UP).map(usageKeyOf);
  return [
    ...old.map((key) => ({ topic: usageTopic, key, value: null })),
    { topic: usageTopic, key: usageKeyOf(record), value: encodeUsage(record) },
  ];
}

function readable(value: Uint8Array) {
  try {
    return decodeUsage(value);
  } catch (error) {
    if (error instanceof UndecodableError) return null;
    throw error;
  }
}
