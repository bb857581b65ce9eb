import type { Gauge, Metrics } from '#libs/platform/metrics.js';
import type { IngestChainStatus } from './create-ingest.js';

type Reading = (status: IngestChainStatus) => number | null;

const readings: { name: string; help: string; read: Reading }[] = [
  { name: 'tidepool_source_height', help: 'Height of the newest published block', read: (s) => s.source.head },
  { name: 'tidepool_source_lag_blocks', help: 'Blocks between the log and the chain head', read: (s) => s.source.lag },
  { name: 'tidepool_source_reorgs', help: 'Reorgs published since the start', read: (s) => s.source.reorgs },
  {
    name: 'tidepool_source_rpc_errors',
    help: 'Failed requests to nodes since the start',
    read: (s) => s.source.rpcErrors,
  },
  {
    name: 'tidepool_source_distrusted',
    help: 'Answers of nodes that contradicted themselves since the start',
    read: (s) => s.source.distrusted,
  },
  {
    name: 'tidepool_source_unproven',
    help: 'Blocks taken whose receipts neither their root nor another node proves, since the start',
    read: (s) => s.source.unproven,
  },
  {
    name: 'tidepool_source_doubtful',
    help: 'Blocks taken that no node completes or clears of a contradiction, since the start',
    read: (s) => s.source.doubtful,
  },
  {
    name: 'tidepool_ingest_active',
    help: 'Whether this process writes the chain (1) or stands by (0)',
    read: (s) => (s.lease.role === 'active' ? 1 : 0),
  },
  {
    name: 'tidepool_ingest_heard_seconds',
    help: 'Time since this process saw a word of the holder of the chain, which is itself where it writes',
    read: (s) => (s.lease.heardAgoMs === null ? null : s.lease.heardAgoMs / 1_000),
  },
  { name: 'tidepool_project_seq', help: 'Last folded group', read: (s) => s.project.seq },
  { name: 'tidepool_sink_seq', help: 'Last group whose rows are in the tables', read: (s) => s.sink.seq },
];

/** What operators watch of the pipeline, one series a chain, read at each scrape. */
export function addIngestMetrics(metrics: Metrics, chains: () => readonly IngestChainStatus[]): void {
  for (const { name, help, read } of readings) {
    metrics.gauge(name, help, (gauge: Gauge) => {
      for (const status of chains()) {
        const value = read(status);
        if (value !== null) gauge.set(value, { chain: status.chain });
      }
    });
  }
}
