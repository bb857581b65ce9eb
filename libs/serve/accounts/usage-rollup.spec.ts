import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { propertySeeds, SeededRandom, scaled } from '#libs/devkit/testing/seeded-random.js';
import { openEmbeddedLog } from '#libs/pipeline/event-log/embedded/embedded-log.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { decodeUsage, encodeUsage, type UsageDay, usageKeyOf } from '#libs/protocol/accounts/usage-record.js';
import { usageTopic } from '#libs/protocol/topics.js';
import { AccountBook } from './account-book.js';
import { AccountsStage } from './accounts-stage.js';
import { Directory } from './directory.js';
import { UsageLedger } from './usage-ledger.js';
import { UsageRollup } from './usage-rollup.js';

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 10, 24, 12);
const dayBefore = (days: number): string => new Date(NOW - days * DAY_MS).toISOString().slice(0, 10);

describe('the roll-up of usage', () => {
  let dir: string;
  let log: EventLog;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'tidepool-rollup-'));
    log = await openEmbeddedLog({ dir });
    await log.ensureTopics([usageTopic]);
  });
  afterEach(async () => {
    await log.close();
    await rm(dir, { recursive: true, force: true });
  });

  const state = async (records: readonly UsageDay[]): Promise<void> => {
    const writer = await log.openWriter('states');
    await writer.append(
      records.map((each) => ({ topic: usageTopic, key: usageKeyOf(each), value: encodeUsage(each) })),
    );
    await writer.close();
  };
  const rollup = (given: EventLog = log) =>
    new UsageRollup({ log: given, now: () => NOW, pause: async () => undefined });
  const days = async (): Promise<UsageDay[]> =>
    [...(await log.readCompacted(usageTopic)).values()].flatMap((value) => {
      const record = decodeUsage(value);
      return record.kind === 'day' ? [record] : [];
    });
  const rowsOf = async (account: string) => {
    const directory = new Directory();
    const book = await AccountBook.open(log, () => NOW);
    const ledger = new UsageLedger('late', () => NOW);
    const stage = new AccountsStage({
      ...{ log, directory, ledger, writerId: 'late', now: () => NOW, read: () => undefined },
      logger: { warn: (fields) => expect(fields).toBeNull() },
    });
    await stage.open();
    expect(ledger.rows(account, '2000-01-01')).toEqual(
      (book as unknown as { ledger: UsageLedger }).ledger.rows(account, '2000-01-01'),
    );
    return { rows: ledger.rows(account, '2000-01-01'), totals: ledger.totals(account) };
  };

  const seen = { groups: 0, rolled: 0 };
  it.each(propertySeeds(scaled(40, 5)))('changes no count and leaves one record a day (seed %i)', async (seed) => {
    const random = new SeededRandom(seed);
    for (let round = 0; round < 4; round++) {
      const records: UsageDay[] = [];
      for (let n = random.int(1, 40); n > 0; n--) {
        const credits = random.int(0, 9);
        records.push({
          ...{ kind: 'day', account: random.pick(['a', 'b']), instance: `i${round}.${random.int(0, 4)}` },
          ...{ day: dayBefore(random.int(0, 12)), included: credits, extra: 1 },
          lines: ['x', 'y'].slice(random.int(0, 1)).map((route, at) => ({
            ...{ key: 'k', route, requests: n, refused: random.int(0, 2) },
            credits: at === 0 ? credits + 1 : 0,
          })),
        });
      }
      // A later statement of one process and day is at least the one before: here each is made once.
      const once = new Map(records.map((record) => [usageKeyOf(record), record]));
      await state([...once.values()]);
      const before = { a: await rowsOf('a'), b: await rowsOf('b') };
      // Two at once: one of them may be fenced, and leaves it to the other.
      await Promise.all([rollup().rollUp(), rollup().rollUp()]);
      await rollup().rollUp();
      expect({ a: await rowsOf('a'), b: await rowsOf('b') }).toEqual(before);
      const groups = new Map<string, number>();
      for (const { account, day, instance } of await days()) {
        if (day >= dayBefore(7)) continue;
        groups.set(`${account} ${day}`, (groups.get(`${account} ${day}`) ?? 0) + 1);
        if (instance === 'rolled-up') seen.rolled++;
      }
      for (const [group, count] of groups) expect([group, count]).toEqual([group, 1]);
      seen.groups += groups.size;
      expect(await rollup().rollUp()).toBe(0);
    }
    expect(seen.groups).toBeGreaterThan(0);
    expect(seen.rolled).toBeGreaterThan(0);
  });

  it('an open process hears that its day was rolled up, and counts on from there', async () => {
    const ledger = new UsageLedger('own', () => NOW);
    const old = dayBefore(9);
    const other: UsageDay = {
      ...{ kind: 'day', account: 'a', instance: 'other', day: old, included: 4, extra: 0 },
      lines: [{ key: 'k', route: 'r', requests: 1, credits: 4, refused: 0 }],
    };
    ledger.add(old, 'a', 'k', 'r', { included: 3, extra: 2 }, 1);
    await state([other, ...ledger.unpublished().map(({ record }) => record)]);
    for (const { done } of ledger.unpublished()) done();
    ledger.take(other);
    expect(await rollup().rollUp()).toBe(2);
    for (const { key, value } of await log.readKeyed(usageTopic, 0, 0n, 100)) {
      if (value === null) ledger.dropped(key);
      else ledger.take(decodeUsage(value));
    }
    const row = { day: old, key: 'k', route: 'r', requests: 2, credits: 9, refused: 0 };
    expect(ledger.rows('a', '2000-01-01')).toEqual([row]);
    expect([ledger.totals('a').extra, ledger.unpublished()]).toEqual([2, []]);
    ledger.add(old, 'a', 'k', 'r', { included: 1, extra: 0 }, 1);
    expect(ledger.unpublished()[0]!.record.lines).toEqual([{ ...row, day: undefined, requests: 1, credits: 1 }]);
    expect(ledger.rows('a', '2000-01-01')).toEqual([{ ...row, requests: 3, credits: 10 }]);
  });

  it('takes signs of life of processes that are gone away', async () => {
    const writer = await log.openWriter('w');
    for (const [instance, at] of [
      ['gone', NOW - 2 * DAY_MS],
      ['here', NOW - 1_000],
    ] as const) {
      const record = { kind: 'instance', instance, at } as const;
      await writer.append([{ topic: usageTopic, key: usageKeyOf(record), value: encodeUsage(record) }]);
    }
    await writer.close();
    expect(await rollup().rollUp()).toBe(1);
    expect([...(await log.readCompacted(usageTopic)).keys()]).toEqual(['@here']);
  });
});
