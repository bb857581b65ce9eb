import { TidepoolError } from '#libs/core/errors.js';

export type Labels = Record<string, string>;

type Kind = 'counter' | 'gauge' | 'histogram';

interface Sample {
  suffix: string;
  labels: Labels;
  value: number;
}

interface Metric {
  readonly name: string;
  readonly kind: Kind;
  readonly help: string;
  samples(): Sample[];
}

export class Counter implements Metric {
  readonly kind = 'counter';
  private readonly values = new LabelledValues();

  constructor(
    readonly name: string,
    readonly help: string,
  ) {}

  inc(labels: Labels = {}, by = 1): void {
    if (!(by >= 0)) throw new RangeError(`counter ${this.name} cannot go down by ${by}`);
    this.values.add(labels, by);
  }

  samples(): Sample[] {
    return this.values.samples();
  }
}

export class Gauge implements Metric {
  readonly kind = 'gauge';
  private readonly values = new LabelledValues();

  /** `collect` runs before each reading, for values that are measured rather than counted. */
  constructor(
    readonly name: string,
    readonly help: string,
    private readonly collect?: (gauge: Gauge) => void,
  ) {}

  set(value: number, labels: Labels = {}): void {
    this.values.set(labels, value);
  }

  remove(labels: Labels): void {
    this.values.remove(labels);
  }

  samples(): Sample[] {
    this.collect?.(this);
    return this.values.samples();
  }
}

export class Histogram implements Metric {
  readonly kind = 'histogram';
  private readonly series = new Map<string, { labels: Labels; counts: number[]; sum: number; count: number }>();

  constructor(
    readonly name: string,
    readonly help: string,
    private readonly bounds: readonly number[],
  ) {
    if (bounds.some((bound, i) => i > 0 && bound <= bounds[i - 1]!)) throw new RangeError(`${name}: bounds must rise`);
  }

  observe(value: number, labels: Labels = {}): void {
    const key = keyOf(labels);
    let series = this.series.get(key);
    if (!series) {
      series = { labels, counts: this.bounds.map(() => 0), sum: 0, count: 0 };
      this.series.set(key, series);
    }
    series.sum += value;
    series.count++;
    const slot = this.bounds.findIndex((bound) => value <= bound);
    if (slot >= 0) series.counts[slot]!++;
  }

  samples(): Sample[] {
    return [...this.series.values()].flatMap(({ labels, counts, sum, count }) => {
      let below = 0;
      const buckets = this.bounds.map((bound, i) => {
        below += counts[i]!;
        return { suffix: '_bucket', labels: { ...labels, le: String(bound) }, value: below };
      });
      return [
        ...buckets,
        { suffix: '_bucket', labels: { ...labels, le: '+Inf' }, value: count },
        { suffix: '_sum', labels, value: sum },
        { suffix: '_count', labels, value: count },
      ];
    });
  }
}

class LabelledValues {
  private readonly values = new Map<string, { labels: Labels; value: number }>();

  add(labels: Labels, by: number): void {
    const key = keyOf(labels);
    const entry = this.values.get(key);
    if (entry) entry.value += by;
    else this.values.set(key, { labels, value: by });
  }

  set(labels: Labels, value: number): void {
    this.values.set(keyOf(labels), { labels, value });
  }

  remove(labels: Labels): void {
    this.values.delete(keyOf(labels));
  }

  samples(): Sample[] {
    return [...this.values.values()].map(({ labels, value }) => ({ suffix: '', labels, value }));
  }
}

const keyOf = (labels: Labels): string => JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));

const NAME = /^[a-z_][a-z0-9_]*$/;

/** All metrics of a process, written as Prometheus text. Asking again for a name gives the same metric. */
export class Metrics {
  private readonly metrics = new Map<string, Metric>();

  counter(name: string, help: string): Counter {
    return this.add(Counter, new Counter(name, help));
  }

  gauge(name: string, help: string, collect?: (gauge: Gauge) => void): Gauge {
    return this.add(Gauge, new Gauge(name, help, collect));
  }

  histogram(name: string, help: string, bounds: readonly number[]): Histogram {
    return this.add(Histogram, new Histogram(name, help, bounds));
  }

  text(): string {
    return [...this.metrics.values()]
      .map((metric) => {
        const lines = metric
          .samples()
          .map(({ suffix, labels, value }) => `${metric.name}${suffix}${labelText(labels)} ${value}`);
        return [
          `# HELP ${metric.name} ${escapeHelp(metric.help)}`,
          `# TYPE ${metric.name} ${metric.kind}`,
          ...lines,
          '',
        ].join('\n');
      })
      .join('');
  }

  private add<M extends Metric>(type: new (...args: never[]) => M, metric: M): M {
    if (!NAME.test(metric.name)) throw new TidepoolError('metric', `${metric.name} is not a metric name`);
    const known = this.metrics.get(metric.name);
    if (known instanceof type) return known;
    if (known) throw new TidepoolError('metric', `${metric.name} is already a ${known.kind}`);
    this.metrics.set(metric.name, metric);
    return metric;
  }
}

const escapeHelp = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeHelp(value).replaceAll('"', '\\"')}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}
