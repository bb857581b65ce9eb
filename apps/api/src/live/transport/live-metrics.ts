import type { Gauge, Metrics } from '#libs/platform/metrics.js';
import type { LiveStatus } from './live-transports.js';

const readings: { name: string; help: string; read: (status: LiveStatus) => number }[] = [
  { name: 'tidepool_live_sockets', help: 'Open WebSocket connections', read: (s) => s.sockets },
  { name: 'tidepool_live_socket_io', help: 'Open connections of socket.io', read: (s) => s.socketIo },
  { name: 'tidepool_live_streams', help: 'Open event streams', read: (s) => s.streams },
  { name: 'tidepool_live_subscriptions', help: 'Open subscriptions', read: (s) => s.subscriptions },
  { name: 'tidepool_live_keys', help: 'Different things that are subscribed to', read: (s) => s.keys },
  { name: 'tidepool_live_frames_out', help: 'Frames sent since the start', read: (s) => s.framesOut },
  { name: 'tidepool_live_bytes_out', help: 'Bytes of frames sent since the start', read: (s) => s.bytesOut },
  { name: 'tidepool_live_frames_in', help: 'Messages received since the start', read: (s) => s.framesIn },
  { name: 'tidepool_live_bytes_in', help: 'Bytes of messages received since the start', read: (s) => s.bytesIn },
  { name: 'tidepool_live_lagged', help: 'Subscriptions told that they lag since the start', read: (s) => s.lagged },
  { name: 'tidepool_live_slow_closed', help: 'Connections cut as too slow since the start', read: (s) => s.slowClosed },
  { name: 'tidepool_live_dead', help: 'Connections cut as silent since the start', read: (s) => s.dead },
  { name: 'tidepool_live_busy', help: 'Connections refused at capacity since the start', read: (s) => s.busy },
  {
    name: 'tidepool_live_revoked',
    help: 'Connections ended because their key was taken back since the start',
    read: (s) => s.revoked,
  },
  {
    name: 'tidepool_live_unpaid',
    help: 'Connections ended because their account had no credits left since the start',
    read: (s) => s.unpaid,
  },
];

/** What operators watch of the live interface, read when they are scraped. */
export function addLiveMetrics(metrics: Metrics, status: () => LiveStatus): void {
  for (const { name, help, read } of readings) metrics.gauge(name, help, (gauge: Gauge) => gauge.set(read(status())));
}
