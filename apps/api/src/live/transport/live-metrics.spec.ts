import { Metrics } from '#libs/platform/metrics.js';
import { addLiveMetrics } from './live-metrics.js';
import { TransportHarness } from './test/transport-harness.js';

it('shows operators what is open, what was sent and what was cut', async () => {
  const harness = await TransportHarness.start();
  try {
    const metrics = new Metrics();
    addLiveMetrics(metrics, () => harness.transports.status());
    const client = await harness.connect();
    client.send({ op: 'subscribe', channel: 'numbers', list: 'a' });
    await client.next(({ type }) => type === 'snapshot');
    const stream = await harness.stream('/stream/numbers?list=b');
    await stream.next(({ event }) => event === 'snapshot');
    const values = new Map(
      metrics
        .text()
        .split('\n')
        .filter((line) => line.startsWith('tidepool_live_'))
        .map((line) => line.split(' ') as [string, string]),
    );
    const { bytesOut, bytesIn, ...status } = harness.transports.status();
    expect(status).toMatchObject({ sockets: 1, streams: 1, subscriptions: 2, keys: 2 });
    expect(Object.fromEntries(values)).toEqual({
      tidepool_live_sockets: '1',
      tidepool_live_socket_io: '0',
      tidepool_live_streams: '1',
      tidepool_live_subscriptions: '2',
      tidepool_live_keys: '2',
      tidepool_live_frames_out: '4',
      tidepool_live_bytes_out: String(bytesOut),
      tidepool_live_frames_in: '1',
      tidepool_live_bytes_in: String(bytesIn),
      tidepool_live_lagged: '0',
      tidepool_live_slow_closed: '0',
      tidepool_live_dead: '0',
      tidepool_live_busy: '0',
      tidepool_live_revoked: '0',
      tidepool_live_unpaid: '0',
    });
    expect(bytesOut).toBeGreaterThan(bytesIn);
  } finally {
    await harness.close();
  }
});
