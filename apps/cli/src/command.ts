import type { Progress } from '#libs/platform/admin-protocol.js';
import type { Config } from '#libs/platform/config.js';
import type { OptionSpec, ParsedArguments, PositionalSpec } from './arguments.js';

/** Where a command writes: results on standard output, everything else on standard error. */
export interface CommandIo {
  stdin: AsyncIterable<Uint8Array | string>;
  stdout: Output;
  stderr: Output;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
}

export interface Output {
  write(text: string | Uint8Array): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Runs an operation in the running instance, or here when none runs. */
export interface Executor {
  config(): Config;
  execute(operation: string, args: Record<string, unknown>, handlers?: ExecuteHandlers): Promise<unknown>;
}

export interface ExecuteHandlers {
  progress?: (progress: Progress) => void;
  line?: (text: string) => void | Promise<void>;
}

export interface CommandContext extends CommandIo, Executor {
  args: ParsedArguments;
}

export interface Command {
  /** Words after `tidepool`, for example `topics ls`. */
  readonly name: string;
  readonly summary: string;
  readonly about?: string;
  readonly positionals: readonly PositionalSpec[];
  readonly options: readonly OptionSpec[];
  run(context: CommandContext): Promise<number>;
}
