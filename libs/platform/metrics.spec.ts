import { Metrics } from './metrics.js';

it('writes Prometheus text', () => {
  const metrics = new Metrics();
  const blocks = metrics.counter('tidepool_blocks_total', 'Blocks seen\nso far');
  blocks.inc({ chain: 'eth' });
  blocks.inc({ chain: 'eth' }, 2);
  blocks.inc({ chain: 'a"b\\c\nd' });
  metrics.gauge('tidepool_lag', 'Blocks behind', (gauge) => gauge.set(4.5));
  const latency = metrics.histogram('tidepool_seconds', 'Latency', [0.1, 1]);
  for (const value of [0.05, 0.1, 0.5, 7]) latency.observe(value, { route: 'x' });
  expect(metrics.text()).toBe(
    [
      '# HELP tidepool_blocks_total Blocks seen\\nso far',
      '# TYPE tidepool_blocks_total counter',
      'tidepool_blocks_total{chain="eth"} 3',
      'tidepool_blocks_total{chain="a\\"b\\\\c\\nd"} 1',
      '# HELP tidepool_lag Blocks behind',
      '# TYPE tidepool_lag gauge',
      'tidepool_lag 4.5',
      '# HELP tidepool_seconds Latency',
      '# TYPE tidepool_seconds histogram',
      'tidepool_seconds_bucket{route="x",le="0.1"} 2',
      'tidepool_seconds_bucket{route="x",le="1"} 3',
      'tidepool_seconds_bucket{route="x",le="+Inf"} 4',
      'tidepool_seconds_sum{route="x"} 7.65',
      'tidepool_seconds_count{route="x"} 4',
      '',
    ].join('\n'),
  );
});

it('gives the same metric for the same name and refuses another kind', () => {
  const metrics = new Metrics();
  expect(metrics.counter('a_total', 'A')).toBe(metrics.counter('a_total', 'A'));
  expect(() => metrics.gauge('a_total', 'A')).toThrow(/already a counter/);
  expect(() => metrics.gauge('Not-a-name', '')).toThrow(/not a metric name/);
});

it('lets no counter go down and no histogram have bounds out of order', () => {
  const metrics = new Metrics();
  expect(() => metrics.counter('a_total', 'A').inc({}, -1)).toThrow(RangeError);
  expect(() => metrics.counter('a_total', 'A').inc({}, Number.NaN)).toThrow(RangeError);
  expect(() => metrics.histogram('h', 'H', [1, 1])).toThrow(RangeError);
});

it('takes label sets in any order for the same and forgets removed ones', () => {
  const gauge = new Metrics().gauge('g', 'G');
  gauge.set(1, { a: '1', b: '2' });
  gauge.set(2, { b: '2', a: '1' });
  expect(gauge.samples()).toHaveLength(1);
  gauge.remove({ a: '1', b: '2' });
  expect(gauge.samples()).toEqual([]);
});
