import type { Gauge, Metrics } from '#libs/platform/metrics.js';
import type { ReaderStatus } from '#libs/serve/reader/chain-reader.js';

const readings: { name: string; help: string; read: (status: ReaderStatus) => number }[] = [
  { name: 'tidepool_reader_tail_bytes', help: 'Facts in memory above the tables', read: (s) => s.tailBytes },
  { name: 'tidepool_hot_bytes', help: 'Estimated size of what is held of the tables', read: (s) => s.hot.bytes },
  { name: 'tidepool_hot_entries', help: 'Keys of the tables that are held', read: (s) => s.hot.entries },
  {
    name: 'tidepool_hot_hits',
    help: 'Keys answered from memory since these tables are served',
    read: (s) => s.hot.hits,
  },
  { name: 'tidepool_hot_misses', help: 'Keys read from the tables since these are served', read: (s) => s.hot.misses },
  {
    name: 'tidepool_hot_resets',
    help: 'How often all that was held was given up since these tables are served',
    read: (s) => s.hot.resets,
  },
];

/** What operators watch of the readers, one series a chain, read at each scrape. */
export function addReaderMetrics(metrics: Metrics, readers: () => readonly ReaderStatus[]): void {
  for (const { name, help, read } of readings) {
    metrics.gauge(name, help, (gauge: Gauge) => {
      for (const status of readers()) gauge.set(read(status), { chain: status.chain });
    });
  }
}
