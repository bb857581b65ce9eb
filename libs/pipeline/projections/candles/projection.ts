import type { Projection } from '../projection.js';
import { type Column, contentOf } from '../table.js';

const version: Column = { name: 'seal_seq', type: 'uint64' };
const key: Column[] = [
  { name: 'interval', type: 'uint32' },
  { name: 'token', type: 'id' },
  { name: 'bucket', type: 'uint32' },
];
const values: Column[] = [
  { name: 'open', type: 'priceE36' },
  { name: 'high', type: 'priceE36' },
  { name: 'low', type: 'priceE36' },
  { name: 'close', type: 'priceE36' },
  { name: 'volume_usd', type: 'sumE18' },
  { name: 'volume_coin', type: 'sumE18' },
  { name: 'loop_volume_usd', type: 'sumE18' },
  { name: 'trades', type: 'uint64' },
  { name: 'buys', type: 'uint64' },
  { name: 'sells', type: 'uint64' },
  { name: 'close_block', type: 'uint64' },
];

/**
 * Candles of sealed buckets, computed from trades: no section. A view sees the newest version of each bucket that ends at or
 * before its sealedTime; a version without trades says that there is no candle.
 */
export const candles: Projection = {
  name: 'candles',
  derived: [
    {
      name: 'candles',
      columns: [...key, version, ...values],
      orderBy: ['interval', 'token', 'bucket', 'seal_seq'],
      content: (database) => ({
        candles: `
          SELECT (${contentOf([...key, ...values])}) AS content
          FROM (
            SELECT * FROM ${database}.candles
            WHERE seal_seq <= {seal_seq:Int64} AND (toInt64(bucket) + interval) * 1000 <= {sealed_time:Int64}
            ORDER BY interval, token, bucket, seal_seq DESC LIMIT 1 BY interval, token, bucket
          )
          WHERE trades > 0`,
      }),
    },
  ],
};
