import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SeededRandom, scaled, testSeed } from '#libs/devkit/testing/seeded-random.js';
import { until } from '#libs/devkit/testing/until.js';
import { openEmbeddedLog } from '#libs/pipeline/event-log/embedded/embedded-log.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { type StoreUnderTest, storesUnderTest } from '#libs/pipeline/store/test/stores-under-test.js';
import { UsageTable } from '#libs/pipeline/store/usage/usage-table.js';
import { encodeUsage, type UsageDay, usageKeyOf } from '#libs/protocol/accounts/usage-record.js';
import { usageTopic } from '#libs/protocol/topics.js';
import { UsageRollup } from '#libs/serve/accounts/usage-rollup.js';
import { UsageTableStage } from './usage-table-stage.js';

const DATABASE = 'usage_suite';
const NOW = Date.UTC(2026, 10, 24);
const dayBefore = (days: number): string => new Date(NOW - days * 86_400_000).toISOString().slice(0, 10);

for (const kind of storesUnderTest()) {
  describe(`table of usage: ${kind.name}`, () => {
    let under: StoreUnderTest;
    let table: UsageTable;
    let dir: string;
    let log: EventLog;
    const openLog = async () => {
      dir = mkdtempSync(join(tmpdir(), 'tidepool-usage-'));
      log = await openEmbeddedLog({ dir });
    };
    const closeLog = async () => {
      await log.close();
      rmSync(dir, { recursive: true, force: true });
    };
    beforeAll(async () => {
      under = await kind.open();
      table = new UsageTable(under.store, DATABASE);
    });
    beforeEach(async () => {
      await under.store.command(`DROP DATABASE IF EXISTS ${DATABASE} SYNC`);
      await openLog();
    });
    afterEach(closeLog);
    afterAll(async () => {
      await under.store.command(`DROP DATABASE IF EXISTS ${DATABASE} SYNC`);
      await under.cleanUp();
    });

    const state = async (records: readonly UsageDay[]) => {
      await log.ensureTopics([usageTopic]);
      const writer = await log.openWriter('test');
      const appends = records.map((record) => ({
        ...{ topic: usageTopic, key: usageKeyOf(record), value: encodeUsage(record) },
      }));
      await writer.append(appends);
      await writer.close();
    };
    const rows = async () => {
      const found = await under.store.query<Record<string, string>>(
        `SELECT account, key, route, toString(day) AS day, toUInt64(requests) AS requests, toUInt64(credits) AS credits, ` +
          `toUInt64(refused) AS refused FROM ${DATABASE}.usage WHERE requests + credits + refused > 0`,
      );
      return found
        .map(({ account, key, route, day, requests, credits, refused }) =>
          [account, key, route, day, requests, credits, refused].join(' '),
        )
        .sort();
    };

    /** Runs the stage until the table shows what was counted; what it shows instead is said. */
    async function stage(expected: readonly string[], count = 1): Promise<void> {
      const end = new AbortController();
      const logger = { warn: (fields: object) => expect(fields).toBeNull() };
      const running = Array.from({ length: count }, () =>
        new UsageTableStage({ log, table, logger, pollMs: 5 }).run(end.signal),
      );
      let shown: unknown;
      await until('the table', async () => {
        shown = await rows().catch(() => null);
        return JSON.stringify(shown) === JSON.stringify(expected);
      }).catch(() => undefined);
      end.abort();
      await Promise.all(running);
      expect(shown).toEqual(expected);
      expect(await rows()).toEqual(expected);
    }

    it('is the sum of what was stated, whatever was lost, repeated, rolled up or of another log', async () => {
      const seed = testSeed();
      const random = new SeededRandom(seed);
      // What each process counted: the naive truth, which only ever grows.
      let counted = new Map<string, UsageDay>();
      // A process states its days in one log.
      let logs = 1;
      const truth = (): string[] => {
        const sums = new Map<string, [number, number, number]>();
        for (const { account, day, lines } of counted.values()) {
          for (const { key, route, requests, credits, refused } of lines) {
            const at = `${account} ${key} ${route} ${day}`;
            const [a, b, c] = sums.get(at) ?? [0, 0, 0];
            sums.set(at, [a + requests, b + credits, c + refused]);
          }
        }
        return [...sums].map(([at, counts]) => `${at} ${counts.join(' ')}`).sort();
      };
      let compared = 0;
      try {
        const rounds = scaled(30, 5);
        for (let round = 0; round < rounds; round++) {
          if (round === Math.floor(rounds / 2)) {
            await closeLog();
            await openLog();
            counted = new Map();
            logs++;
          }
          const changed = new Map<string, UsageDay>();
          for (let n = random.int(1, 30); n > 0; n--) {
            // What is rolled up is stated no more: each round has processes of its own for old days.
            const old = random.chance(0.5);
            const account = random.pick(['acme', 'beta']);
            const instance = old ? `r${round}.${random.int(0, 3)}` : `p${logs}.${random.int(0, 3)}`;
            const day = dayBefore(old ? random.int(8, 11) : random.int(0, 3));
            const at = `${account}/${instance}/${day}`;
            const before = counted.get(at);
            const [key, route] = [random.pick(['k1', 'k2']), random.pick(['getToken', '/evm/quote'])];
            const more = { requests: random.int(1, 9), credits: random.int(0, 9), refused: random.int(0, 1) };
            const same = before?.lines.find((line) => line.key === key && line.route === route);
            const line = {
              ...{ key, route, requests: (same?.requests ?? 0) + more.requests },
              ...{ credits: (same?.credits ?? 0) + more.credits, refused: (same?.refused ?? 0) + more.refused },
            };
            const record: UsageDay = {
              ...{ kind: 'day', account, instance, day, extra: 0 },
              included: (before?.included ?? 0) + more.credits,
              lines: [...(before?.lines ?? []).filter((each) => each !== same), line],
            };
            counted.set(at, record);
            changed.set(at, record);
          }
          await state([...changed.values()]);
          if (random.chance(0.3))
            await under.store.command(`TRUNCATE TABLE IF EXISTS ${DATABASE}.usage_counts`).catch(() => undefined);
          if (random.chance(0.4)) await new UsageRollup({ log, now: () => NOW, pause: async () => undefined }).rollUp();
          await stage(truth(), random.int(1, 2));
          compared += truth().length;
        }
      } catch (error) {
        (error as Error).message = `TIDEPOOL_TEST_SEED=${seed}\n${(error as Error).message}`;
        throw error;
      }
      expect(compared).toBeGreaterThan(20);
    });

    it('holds one row a count, and takes repeated rows', async () => {
      const record: UsageDay = {
        ...{ kind: 'day', account: 'acme', instance: 'p', day: dayBefore(0), included: 5, extra: 0 },
        lines: [{ key: 'k', route: 'r', requests: 2, credits: 5, refused: 1 }],
      };
      await state([record]);
      const expected = [`acme k r ${dayBefore(0)} 2 5 1`];
      await stage(expected);
      await stage(expected);
      const [{ count }] = (await under.store.query<{ count: string }>(
        `SELECT count() AS count FROM ${DATABASE}.usage_counts`,
      )) as [{ count: string }];
      expect(Number(count)).toBe(1);
      await table.insert([{ record, version: 1 }]);
      expect(await rows()).toEqual(expected);
    });
  });
}
