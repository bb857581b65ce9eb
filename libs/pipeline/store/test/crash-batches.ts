/** The numbered batches that a process inserts until it is killed, and that are repeated afterwards. */
export const crashTable = 'crash_suite.numbers';
export const crashColumns = ['batch', 'number', 'month'] as const;
export const rowsInBatch = 2_000;

/** Rows of one batch are in two partitions, so that an insert is cut in more than one place. */
export function crashBatch(batch: number): Buffer {
  const body = Buffer.alloc(rowsInBatch * 9);
  for (let row = 0; row < rowsInBatch; row++) {
    body.writeUInt32LE(batch, row * 9);
    body.writeUInt32LE(row, row * 9 + 4);
    body.writeUInt8(row % 2, row * 9 + 8);
  }
  return body;
}

export const crashSchema = [
  'CREATE DATABASE IF NOT EXISTS crash_suite',
  `CREATE TABLE IF NOT EXISTS ${crashTable} (batch UInt32, number UInt32, month UInt8) ENGINE = MergeTree PARTITION BY month
   ORDER BY (batch, number) SETTINGS non_replicated_deduplication_window = 1000`,
  `CREATE TABLE IF NOT EXISTS ${crashTable}_copy AS ${crashTable} ENGINE = MergeTree PARTITION BY month
   ORDER BY (number, batch) SETTINGS non_replicated_deduplication_window = 1000`,
  `CREATE MATERIALIZED VIEW IF NOT EXISTS ${crashTable}_view TO ${crashTable}_copy AS SELECT * FROM ${crashTable}`,
];
