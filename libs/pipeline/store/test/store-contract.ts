import { type AnalyticsStore, type QueryValue, SCAN } from '../store.js';
import { StoreError } from '../store-error.js';
import type { StoreKind, StoreUnderTest } from './stores-under-test.js';

/** What every analytics store must do, whatever is behind it. */
export function storeContract(kind: StoreKind): void {
  describe(`analytics store: ${kind.name}`, () => {
    let under: StoreUnderTest;
    let store: AnalyticsStore;

    beforeAll(async () => {
      under = await kind.open();
      store = under.store;
      await store.command('DROP DATABASE IF EXISTS contract_suite');
      await store.command('CREATE DATABASE contract_suite');
    });

    afterAll(async () => {
      await store.command('DROP DATABASE IF EXISTS contract_suite');
      await under.cleanUp();
    });

    const bound: [string, QueryValue, unknown][] = [
      ['UInt8', 255, 255],
      ['Int64', -9_007_199_254_740_991, '-9007199254740991'],
      ['UInt64', 2n ** 64n - 1n, '18446744073709551615'],
      ['UInt64', '18446744073709551615', '18446744073709551615'],
      ['UInt256', 2n ** 256n - 1n, (2n ** 256n - 1n).toString()],
      ['Int256', -(2n ** 255n), (-(2n ** 255n)).toString()],
      [
        'Decimal(76, 36)',
        '-1234567890123456789012345678901234567890.000000000000000000000000000000000001',
        '-1234567890123456789012345678901234567890.000000000000000000000000000000000001',
      ],
      ['Decimal(38, 18)', '0.000000000000000001', '0.000000000000000001'],
      ['Float64', 0.1, 0.1],
      ['Bool', true, true],
      ['Bool', false, false],
      ['String', '', ''],
      [
        'String',
        'it\'s "quoted" \\ \\\' `back` \t tab \n line \r return',
        'it\'s "quoted" \\ \\\' `back` \t tab \n line \r return',
      ],
      ['String', "'; DROP DATABASE contract_suite; --", "'; DROP DATABASE contract_suite; --"],
      ['String', '\\N {name:String} ünïcödé 🌊', '\\N {name:String} ünïcödé 🌊'],
      ['Nullable(String)', null, null],
      ['Nullable(String)', 'x', 'x'],
      ['Nullable(UInt64)', null, null],
      ['Array(String)', ["a'b", 'c\\d', '', "]),'"], ["a'b", 'c\\d', '', "]),'"]],
      ['Array(String)', [], []],
      ['Array(UInt64)', [0, 1n, 2n ** 64n - 1n], ['0', '1', '18446744073709551615']],
      ['Array(Int64)', [-1, -2n], ['-1', '-2']],
    ];

    it.each(bound)('binds %s %p', async (type, value, expected) => {
      const [row] = await store.query<{ value: unknown }>(`SELECT {value:${type}} AS value`, { value });
      expect(row!.value).toEqual(expected);
    });

    it('binds parameters of commands', async () => {
      await store.command(
        'CREATE TABLE contract_suite.commands (id UInt64, name String) ENGINE = MergeTree ORDER BY id',
      );
      await store.command('INSERT INTO contract_suite.commands SELECT {id:UInt64}, {name:String}', {
        id: 7,
        name: "o'k",
      });
      expect(await store.query('SELECT * FROM contract_suite.commands')).toEqual([{ id: '7', name: "o'k" }]);
    });

    it('refuses a missing parameter, also one that an earlier query gave', async () => {
      await store.query('SELECT {seen:UInt64} AS value', { seen: 1 });
      for (let i = 0; i < 8; i++) {
        await expect(store.query('SELECT {seen:UInt64} AS value')).rejects.toThrow(/seen is not given/);
      }
    });

    it('refuses a number that has lost digits', async () => {
      await expect(store.query('SELECT {n:UInt64} AS n', { n: 2 ** 60 })).rejects.toThrow(/not exact/);
    });

    it('gives no rows for an empty answer and many rows in order', async () => {
      expect(await store.query('SELECT 1 AS one WHERE 0')).toEqual([]);
      const rows = await store.query<{ n: string }>('SELECT number AS n FROM numbers(20000) ORDER BY n');
      expect(rows.map(({ n }) => Number(n))).toEqual(Array.from({ length: 20_000 }, (_, i) => i));
    });

    it('keeps every digit and byte of inserted rows', async () => {
      await store.command(
        `CREATE TABLE contract_suite.exact (id UInt64, u UInt256, i Int256, price Decimal(76, 36), volume Decimal(38, 18), raw String)
         ENGINE = MergeTree ORDER BY id`,
      );
      const raw = Buffer.from([0, 10, 10, 13, 39, 92, 255, 59, 10, 10]);
      const body = Buffer.concat([
        little(2n ** 64n - 1n, 8),
        little(2n ** 256n - 1n, 32),
        little(-(2n ** 255n), 32),
        little(10n ** 76n - 1n, 32),
        little(-(10n ** 38n) + 1n, 16),
        Buffer.from([raw.length]),
        raw,
      ]);
      await store.insert('contract_suite.exact', ['id', 'u', 'i', 'price', 'volume', 'raw'], body, 'exact');
      const rows = await store.query('SELECT id, u, i, price, volume, hex(raw) AS raw FROM contract_suite.exact');
      expect(rows).toEqual([
        {
          id: '18446744073709551615',
          u: (2n ** 256n - 1n).toString(),
          i: (-(2n ** 255n)).toString(),
          price: `${'9'.repeat(40)}.${'9'.repeat(36)}`,
          volume: `-${'9'.repeat(20)}.${'9'.repeat(18)}`,
          raw: raw.toString('hex').toUpperCase(),
        },
      ]);
    });

    describe('deduplication tokens', () => {
      const table = 'contract_suite.tokens';
      const rows = (...values: number[]) => Buffer.concat(values.map((value) => little(BigInt(value), 8)));
      const count = async (of: string) =>
        Number((await store.query<{ n: string }>(`SELECT count() AS n FROM ${of}`))[0]!.n);

      beforeEach(async () => {
        await store.command(`DROP TABLE IF EXISTS ${table}_view`);
        await store.command(`DROP TABLE IF EXISTS ${table}_copy SYNC`);
        await store.command(`DROP TABLE IF EXISTS ${table} SYNC`);
        const engine =
          'ENGINE = MergeTree PARTITION BY id % 3 ORDER BY id SETTINGS non_replicated_deduplication_window = 1000';
        await store.command(`CREATE TABLE ${table} (id UInt64) ${engine}`);
        await store.command(`CREATE TABLE ${table}_copy (id UInt64) ${engine}`);
      });

      const view = () =>
        store.command(`CREATE MATERIALIZED VIEW ${table}_view TO ${table}_copy AS SELECT * FROM ${table}`);

      it('inserts the same token with the same rows once, in the view too', async () => {
        await view();
        for (let i = 0; i < 3; i++) await store.insert(table, ['id'], rows(1, 2, 3, 4), 'a');
        expect([await count(table), await count(`${table}_copy`)]).toEqual([4, 4]);
      });

      it('inserts the same rows again under another token', async () => {
        await view();
        await store.insert(table, ['id'], rows(1, 2), 'a');
        await store.insert(table, ['id'], rows(1, 2), 'b');
        expect([await count(table), await count(`${table}_copy`)]).toEqual([4, 4]);
      });

      it('fills a view that missed the batch when the batch is repeated', async () => {
        await store.insert(table, ['id'], rows(1, 2, 3), 'a');
        await view();
        await store.insert(table, ['id'], rows(1, 2, 3), 'a');
        expect([await count(table), await count(`${table}_copy`)]).toEqual([3, 3]);
      });

      it('inserts a batch of several engine blocks once', async () => {
        const many = Buffer.alloc(8 * 1_300_000);
        for (let i = 0; i < 1_300_000; i++) many.writeUInt32LE(i, i * 8);
        await store.insert(table, ['id'], many, 'large');
        await store.insert(table, ['id'], many, 'large');
        expect(await count(table)).toBe(1_300_000);
      });

      it('keeps out what is gone while its token is known, and takes it under another one', async () => {
        await view();
        await store.insert(table, ['id'], rows(1, 2), 'a');
        await store.command(`DELETE FROM ${table} WHERE id = 1`);
        await store.command(`DELETE FROM ${table}_copy WHERE 1`);
        await store.insert(table, ['id'], rows(1, 2), 'a');
        expect([await count(table), await count(`${table}_copy`)]).toEqual([1, 0]);
        await store.command(`DELETE FROM ${table} WHERE 1`);
        await store.insert(table, ['id'], rows(1, 2), 'a.anew');
        expect([await count(table), await count(`${table}_copy`)]).toEqual([2, 2]);
      });

      it('inserts the same rows each time without a token', async () => {
        await view();
        for (let i = 0; i < 3; i++) await store.insert(table, ['id'], rows(1, 2), null);
        expect([await count(table), await count(`${table}_copy`)]).toEqual([6, 6]);
      });

      it('takes tokens with any characters', async () => {
        for (let i = 0; i < 2; i++) await store.insert(table, ['id'], rows(1), "it's \\ 'quoted'; --");
        expect(await count(table)).toBe(1);
      });
    });

    it('inserts nothing for an empty body', async () => {
      await store.insert('contract_suite.nowhere', ['id'], Buffer.alloc(0), 'empty');
    });

    it('tells what the engine refuses, with its code', async () => {
      await expect(store.query('SELECT * FROM contract_suite.nowhere')).rejects.toMatchObject({
        code: 'store_failed',
        engineCode: 60,
      });
      await expect(store.query('SELEC 1')).rejects.toMatchObject({ code: 'store_failed', engineCode: 62 });
      await expect(store.command('DROP TABLE contract_suite.nowhere')).rejects.toMatchObject({ engineCode: 60 });
      await expect(store.insert('contract_suite.nowhere', ['id'], Buffer.alloc(8), 't')).rejects.toBeInstanceOf(
        StoreError,
      );
      await expect(store.query('SELECT {n:UInt8} AS n', { n: 'not a number' })).rejects.toBeInstanceOf(StoreError);
    });

    it('inserts nothing of a body that is cut short', async () => {
      await store.command('CREATE TABLE contract_suite.cut (id UInt64) ENGINE = MergeTree ORDER BY id');
      await expect(store.insert('contract_suite.cut', ['id'], Buffer.alloc(20), 'cut')).rejects.toBeInstanceOf(
        StoreError,
      );
      expect(await store.query('SELECT * FROM contract_suite.cut')).toEqual([]);
    });

    it('refuses names that are not plain identifiers', async () => {
      await expect(store.insert('a.b; DROP', ['id'], Buffer.alloc(8), 't')).rejects.toThrow(/not an identifier/);
      await expect(store.insert('a.b', ['id) SELECT'], Buffer.alloc(8), 't')).rejects.toThrow(/not an identifier/);
    });

    it('lets no short read wait for scans', async () => {
      const ended: string[] = [];
      const scans = Array.from({ length: 12 }, async () => {
        await store.query('SELECT sleep(0.1)', {}, SCAN);
        ended.push('scan');
      });
      await store.query('SELECT 1');
      ended.push('short');
      await Promise.all(scans);
      // In the order of asking it would be the last.
      expect(ended.indexOf('short')).toBeLessThan(scans.length / 2);
    });

    it('ends a query at its time limit and continues', async () => {
      const slow = 'SELECT sum(sleepEachRow(0.2)) AS s FROM numbers(50) SETTINGS max_block_size = 1';
      await expect(store.query(slow, {}, { maxSeconds: 1 })).rejects.toMatchObject({ engineCode: 159 });
      expect(await store.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    });

    it('stops waiting when the caller aborts', async () => {
      const stop = new AbortController();
      const slow = store.query(
        'SELECT sum(sleepEachRow(0.1)) AS s FROM numbers(30) SETTINGS max_block_size = 1',
        {},
        { signal: stop.signal },
      );
      const outcome = expect(slow).rejects.toMatchObject({ code: 'store_aborted' });
      stop.abort();
      await outcome;
      await expect(store.query('SELECT 1', {}, { signal: stop.signal })).rejects.toMatchObject({
        code: 'store_aborted',
      });
      expect(await store.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    });

    it('answers every one of many queries at once with its own parameters, while rows are inserted', async () => {
      await store.command('CREATE TABLE contract_suite.busy (id UInt64) ENGINE = MergeTree ORDER BY id');
      const inserts = Array.from({ length: 10 }, (_, i) =>
        store.insert('contract_suite.busy', ['id'], little(BigInt(i), 8), `busy-${i}`),
      );
      const answers = Array.from({ length: 60 }, async (_, i) => {
        const [row] = await store.query<{ a: string; b: string }>('SELECT {a:UInt64} AS a, {b:String} AS b', {
          a: i,
          b: `b${i}`,
        });
        return row;
      });
      expect(await Promise.all(answers)).toEqual(Array.from({ length: 60 }, (_, i) => ({ a: `${i}`, b: `b${i}` })));
      await Promise.all(inserts);
      expect(await store.query('SELECT count() AS n FROM contract_suite.busy')).toEqual([{ n: '10' }]);
    });

    it('keeps what it has over a close and refuses work while closed', async () => {
      await store.command('CREATE TABLE contract_suite.kept (id UInt64) ENGINE = MergeTree ORDER BY id');
      await store.insert('contract_suite.kept', ['id'], little(5n, 8), 'kept');
      await store.close();
      await expect(store.query('SELECT 1')).rejects.toMatchObject({ code: 'store_closed' });
      await expect(store.command('SELECT 1')).rejects.toMatchObject({ code: 'store_closed' });
      store = await under.reopen();
      await store.ping();
      expect(await store.query('SELECT id FROM contract_suite.kept')).toEqual([{ id: '5' }]);
    });
  });
}

function little(value: bigint, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  let rest = BigInt.asUintN(bytes * 8, value);
  for (let i = 0; i < bytes; i++) {
    buffer[i] = Number(rest & 0xffn);
    rest >>= 8n;
  }
  return buffer;
}
