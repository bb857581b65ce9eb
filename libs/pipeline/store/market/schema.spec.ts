import { derivedTables, journals } from '#libs/pipeline/projections/registry.js';
import { columnTypes, type TableSpec, tablesOf } from '#libs/pipeline/projections/table.js';
import { type StoreUnderTest, storesUnderTest } from '../test/stores-under-test.js';
import { MarketTables } from './market-tables.js';

/** Tables that a sink keeps for itself: no projection's. */
const OWN_TABLES = ['checkpoints', 'migrations', 'seals'];

/**
 * The migrations make the tables, the specifications say what is in them: here the two are compared, as the engine itself
 * describes its tables.
 */
for (const kind of storesUnderTest()) {
  describe(`tables as specified: ${kind.name}`, () => {
    let under: StoreUnderTest;
    let tables: MarketTables;

    beforeAll(async () => {
      under = await kind.open();
      tables = new MarketTables(under.store, 'schema', 1);
      await tables.ensure();
    }, 120_000);

    afterAll(async () => {
      await tables.drop();
      await under.cleanUp();
    }, 60_000);

    const specified: TableSpec[] = [...journals.flatMap(tablesOf), ...derivedTables];

    it('are all there, and no other', async () => {
      const found = await under.store.query<{ name: string }>(
        "SELECT name FROM system.tables WHERE database = {database:String} AND engine != 'MaterializedView'",
        { database: tables.database },
      );
      const names = [...specified.map(({ name }) => name), ...OWN_TABLES];
      expect(found.map(({ name }) => name).sort()).toEqual(names.sort());
    });

    it.each(specified.map((spec) => [spec.name, spec] as const))('%s: columns, types and order', async (name, spec) => {
      const params = { database: tables.database, table: name };
      const columns = await under.store.query<{ name: string; type: string }>(
        'SELECT name, type FROM system.columns WHERE database = {database:String} AND table = {table:String} ORDER BY position',
        params,
      );
      expect(columns).toEqual(spec.columns.map((column) => ({ name: column.name, type: columnTypes[column.type] })));
      const [table] = await under.store.query<{ sorting_key: string }>(
        'SELECT sorting_key FROM system.tables WHERE database = {database:String} AND name = {table:String}',
        params,
      );
      expect(table!.sorting_key).toBe(spec.orderBy.join(', '));
    });

    it('copy every row of a journal that has a copy, by a view', async () => {
      const views = await under.store.query<{ query: string }>(
        "SELECT create_table_query AS query FROM system.tables WHERE database = {database:String} AND engine = 'MaterializedView'",
        { database: tables.database },
      );
      const copies = journals.flatMap(({ name, copies = [] }) => copies.map((copy) => ({ from: name, to: copy.name })));
      expect(views).toHaveLength(copies.length);
      for (const { from, to } of copies) {
        const view = views.find(({ query }) => query.includes(`TO ${tables.database}.${to} `))!;
        expect(view.query).toContain(`FROM ${tables.database}.${from}`);
      }
    });
  });
}
