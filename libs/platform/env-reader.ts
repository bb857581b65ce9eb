import type { Setting } from './setting.js';
import { settings } from './variables.js';

type Settings = typeof settings;
type ValueOf<S> = S extends Setting<infer T> ? T : never;

/** Reads the values of variables and collects every problem instead of stopping at the first. */
export class EnvReader {
  readonly problems: string[] = [];

  constructor(private readonly env: Record<string, string | undefined>) {}

  /** The fallback when unset or blank, and also after a problem (then the whole configuration is refused at the end). */
  value<N extends keyof Settings>(name: N): ValueOf<Settings[N]> {
    return this.read(name, settings[name] as Setting<ValueOf<Settings[N]>>);
  }

  /** A variable that each chain has one of. `parse`: how, where a family of chains has a form of its own. */
  ofChain<N extends keyof Settings & `${string}<CHAIN>`, T extends ValueOf<Settings[N]>>(
    name: N,
    slug: string,
    parse?: (text: string) => T,
  ): ValueOf<Settings[N]> {
    const setting = settings[name] as Setting<ValueOf<Settings[N]>>;
    return this.read(name.replace('<CHAIN>', slug.toUpperCase()), setting, parse);
  }

  problem(text: string): void {
    this.problems.push(text);
  }

  private read<T>(name: string, { rule, fallback, parse: usual }: Setting<T>, parse = usual): T {
    const text = this.env[name]?.trim();
    if (text === undefined || text === '') return fallback;
    try {
      return parse(text);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.problem(`${name}: ${error.message}; it must be ${rule}`);
      return fallback;
    }
  }
}
