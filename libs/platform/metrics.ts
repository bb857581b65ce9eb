import { TidepoolError } from '#libs/core/errors.js';

export type Labels = Record<string, string>;

interface Sample {
  readonly labels: Labels;
  readonly value: number;
}

/** A value that goes up and down, one for each set of labels. */
export class Gauge {
  private readonly values = new Map<string, Sample>();

  /** `collect` runs before each reading, for values that are measured rather than counted. */
  constructor(
    readonly name: string,
    readonly help: string,
    private readonly collect?: (gauge: Gauge) => void,
  ) {}

  set(value: number, labels: Labels = {}): void {
    this.values.set(keyOf(labels), { labels, value });
  }

  remove(labels: Labels): void {
    this.values.delete(keyOf(labels));
  }

  samples(): Sample[] {
    this.collect?.(this);
    return [...this.values.values()];
  }
}

const keyOf = (labels: Labels): string => JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));

const NAME = /^[a-z_][a-z0-9_]*$/;

/** All metrics of a process, written as Prometheus text. Asking again for a name gives the same metric. */
export class Metrics {
  private readonly gauges = new Map<string, Gauge>();

  gauge(name: string, help: string, collect?: (gauge: Gauge) => void): Gauge {
    if (!NAME.test(name)) throw new TidepoolError('metric', `${name} is not a metric name`);
    const gauge = this.gauges.get(name) ?? new Gauge(name, help, collect);
    this.gauges.set(name, gauge);
    return gauge;
  }

  text(): string {
    return [...this.gauges.values()]
      .map((gauge) => {
        const { name, help } = gauge;
        const lines = gauge.samples().map(({ labels, value }) => `${name}${labelText(labels)} ${value}`);
        return [`# HELP ${name} ${escapeHelp(help)}`, `# TYPE ${name} gauge`, ...lines, ''].join('\n');
      })
      .join('');
  }
}

const escapeHelp = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeHelp(value).replaceAll('"', '\\"')}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}
