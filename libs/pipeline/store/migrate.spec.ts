import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadMigrations, migrate } from './migrate.js';
import { type StoreUnderTest, storesUnderTest } from './test/stores-under-test.js';

for (const kind of storesUnderTest()) {
  describe(`migrations: ${kind.name}`, () => {
    const database = 'migration_suite';
    let under: StoreUnderTest;
    let folder: string;

    const file = (name: string, text: string) => writeFile(join(folder, name), text);
    const run = () => migrate(under.store, database, { folder });
    const columns = async () => {
      const rows = await under.store.query<{ name: string }>(
        'SELECT name FROM system.columns WHERE database = {database:String} AND table = {table:String} ORDER BY position',
        { database, table: 'notes' },
      );
      return rows.map(({ name }) => name);
    };

    beforeAll(async () => {
      under = await kind.open();
    });

    beforeEach(async () => {
      await under.store.command(`DROP DATABASE IF EXISTS ${database} SYNC`);
      folder = await mkdtemp(join(tmpdir(), 'tidepool-migrations-'));
      await file(
        '0001_notes.sql',
        "-- A comment; with a semicolon\nCREATE TABLE IF NOT EXISTS {db}.notes (id UInt64, text String DEFAULT 'a;b') ENGINE = MergeTree ORDER BY id;\n",
      );
    });

    afterEach(async () => {
      await rm(folder, { recursive: true, force: true });
    });

    afterAll(async () => {
      await under.store.command(`DROP DATABASE IF EXISTS ${database} SYNC`);
      await under.cleanUp();
    });

    it('applies what is new, in order, once', async () => {
      expect(await run()).toEqual({ applied: ['0001_notes'] });
      expect(await run()).toEqual({ applied: [] });
      await file('0002_author.sql', 'ALTER TABLE {db}.notes ADD COLUMN IF NOT EXISTS author String;\n\n-- end\n');
      await file('0003_place.sql', 'ALTER TABLE {db}.notes ADD COLUMN IF NOT EXISTS place String');
      expect(await run()).toEqual({ applied: ['0002_author', '0003_place'] });
      expect(await run()).toEqual({ applied: [] });
      expect(await columns()).toEqual(['id', 'text', 'author', 'place']);
    });

    it('continues after one that was cut short', async () => {
      await file(
        '0002_two.sql',
        'ALTER TABLE {db}.notes ADD COLUMN IF NOT EXISTS author String;\nALTER TABLE {db}.missing DELETE WHERE 1;\n',
      );
      await expect(run()).rejects.toMatchObject({ code: 'store_failed' });
      await file(
        '0002_two.sql',
        'ALTER TABLE {db}.notes ADD COLUMN IF NOT EXISTS author String;\nALTER TABLE {db}.notes DELETE WHERE 0;\n',
      );
      expect(await run()).toEqual({ applied: ['0002_two'] });
      expect(await columns()).toEqual(['id', 'text', 'author']);
    });

    it('runs again from one whose record is missing, as a kill in the middle of an older program left it', async () => {
      await file('0002_author.sql', 'ALTER TABLE {db}.notes ADD COLUMN IF NOT EXISTS author String;');
      await file('0003_place.sql', 'ALTER TABLE {db}.notes ADD COLUMN IF NOT EXISTS place String;');
      await run();
      await under.store.command(`DELETE FROM ${database}.migrations WHERE number = 2`);
      expect(await run()).toEqual({ applied: ['0002_author', '0003_place'] });
      expect(await run()).toEqual({ applied: [] });
      expect(await columns()).toEqual(['id', 'text', 'author', 'place']);
    });

    it('refuses a migration whose text was changed', async () => {
      await run();
      await file(
        '0001_notes.sql',
        'CREATE TABLE IF NOT EXISTS {db}.notes (id UInt32) ENGINE = MergeTree ORDER BY id;\n',
      );
      await expect(run()).rejects.toMatchObject({ code: 'schema_changed' });
    });

    it('refuses a database that a newer program has made', async () => {
      await file('0002_author.sql', 'ALTER TABLE {db}.notes ADD COLUMN IF NOT EXISTS author String;');
      await run();
      await rm(join(folder, '0002_author.sql'));
      await expect(run()).rejects.toMatchObject({ code: 'schema_too_new' });
    });

    it('can be run by two processes at once', async () => {
      const outcomes = await Promise.allSettled([run(), run()]);
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
      expect(await run()).toEqual({ applied: [] });
      expect(await columns()).toEqual(['id', 'text']);
    });

    it('refuses a number twice and a name that is not one', async () => {
      await file('0001_twice.sql', 'SELECT 1;');
      await expect(run()).rejects.toThrow(/0001_twice.sql has the number of 0001/);
      await expect(migrate(under.store, 'a; DROP', { folder })).rejects.toThrow(/not an identifier/);
    });
  });
}

describe('migrations of the program', () => {
  it('are numbered and can each be repeated', async () => {
    for (const folder of ['migrations', 'migrations/meta', 'migrations/router']) {
      const found = await loadMigrations(new URL(`./${folder}`, import.meta.url).pathname);
      expect(found.length).toBeGreaterThan(0);
      for (const { statements } of found) {
        // What says IF may be repeated, and so may setting a codec and building an index.
        for (const statement of statements)
          expect(statement).toMatch(/IF (NOT )?EXISTS|^ALTER TABLE \S+\s+(MODIFY COLUMN|MATERIALIZE INDEX)/);
      }
    }
  });
});
