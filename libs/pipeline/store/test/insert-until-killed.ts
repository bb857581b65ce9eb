import { openChdbStore } from '../chdb-store.js';
import { openClickHouseStore } from '../clickhouse-store.js';
import { crashBatch, crashColumns, crashTable } from './crash-batches.js';

/** Inserts numbered batches and prints the number of each that is acknowledged, until it is killed. */
const [kind, where, first] = process.argv.slice(2) as [string, string, string];
const store = kind === 'chdb' ? await openChdbStore({ dir: where }) : await openClickHouseStore({ url: where });
for (let batch = Number(first); ; batch++) {
  await store.insert(crashTable, crashColumns, crashBatch(batch), `batch-${batch}`);
  process.stdout.write(`${batch}\n`);
}
