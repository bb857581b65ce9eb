import type { OptionSpec, PositionalSpec } from '../arguments.js';
import type { ProgramContext } from './session.js';

/** One of `tidepool program …`. */
export interface ProgramCommand {
  /** With `program` before it, as errors and the help name it. */
  readonly name: string;
  readonly summary: string;
  readonly about: string;
  /** What is after `npx tidepool`. */
  readonly examples: readonly string[];
  readonly positionals: readonly PositionalSpec[];
  readonly options: readonly OptionSpec[];
  run(context: ProgramContext): Promise<number>;
}

/** Two columns, names first. */
export function lines(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}\n`).join('');
}
