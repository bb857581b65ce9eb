import { Metrics } from '#libs/platform/metrics.js';
import type { ReaderStatus } from '#libs/serve/reader/chain-reader.js';
import { addReaderMetrics } from './reader-metrics.js';

it('shows operators what each reader holds in memory', () => {
  const metrics = new Metrics();
  const reader = (chain: string, bytes: number): ReaderStatus => ({
    ...{
      chain,
      ready: true,
      reason: null,
      warning: null,
      epoch: 1,
      generation: 1,
      seq: 9,
      checkpointSeq: 3,
      height: 7,
    },
    ...{ tailGroups: 6, tailBytes: 600, hot: { bytes, entries: 4, hits: 12, misses: 5, resets: 1 } },
  });
  addReaderMetrics(metrics, () => [reader('eth', 4_000), reader('sol', 0)]);
  const lines = metrics.text().split('\n');
  expect(lines.filter((line) => !line.startsWith('#') && line.includes('eth'))).toEqual([
    'tidepool_reader_tail_bytes{chain="eth"} 600',
    'tidepool_hot_bytes{chain="eth"} 4000',
    'tidepool_hot_entries{chain="eth"} 4',
    'tidepool_hot_hits{chain="eth"} 12',
    'tidepool_hot_misses{chain="eth"} 5',
    'tidepool_hot_resets{chain="eth"} 1',
  ]);
  expect(lines).toContain('tidepool_hot_bytes{chain="sol"} 0');
});
