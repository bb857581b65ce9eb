import { Metrics } from './metrics.js';

it('writes Prometheus text', () => {
  const metrics = new Metrics();
  const blocks = metrics.gauge('tidepool_blocks', 'Blocks seen\nso far');
  blocks.set(1, { chain: 'eth' });
  blocks.set(3, { chain: 'eth' });
  blocks.set(1, { chain: 'a"b\\c\nd' });
  metrics.gauge('tidepool_lag', 'Blocks behind', (gauge) => gauge.set(4.5));
  expect(metrics.text()).toBe(
    [
      '# HELP tidepool_blocks Blocks seen\\nso far',
      '# TYPE tidepool_blocks gauge',
      'tidepool_blocks{chain="eth"} 3',
      'tidepool_blocks{chain="a\\"b\\\\c\\nd"} 1',
      '# HELP tidepool_lag Blocks behind',
      '# TYPE tidepool_lag gauge',
      'tidepool_lag 4.5',
      '',
    ].join('\n'),
  );
});

it('gives the same metric for the same name and refuses what is no name', () => {
  const metrics = new Metrics();
  expect(metrics.gauge('a', 'A')).toBe(metrics.gauge('a', 'A'));
  expect(() => metrics.gauge('Not-a-name', '')).toThrow(/not a metric name/);
});

it('measures again at each reading, and keeps what was not measured again', () => {
  const metrics = new Metrics();
  let height = 1;
  metrics.gauge('head', 'H', (gauge) => gauge.set(height, { chain: height > 1 ? 'sol' : 'eth' }));
  expect(metrics.text()).toContain('head{chain="eth"} 1\n');
  height = 2;
  expect(metrics.text()).toContain('head{chain="eth"} 1\nhead{chain="sol"} 2\n');
});

it('takes label sets in any order for the same and forgets removed ones', () => {
  const gauge = new Metrics().gauge('g', 'G');
  gauge.set(1, { a: '1', b: '2' });
  gauge.set(2, { b: '2', a: '1' });
  expect(gauge.samples()).toHaveLength(1);
  gauge.remove({ a: '1', b: '2' });
  expect(gauge.samples()).toEqual([]);
});
