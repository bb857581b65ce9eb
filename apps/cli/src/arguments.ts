import { parseArgs } from 'node:util';
import { TidepoolError } from '#libs/core/errors.js';

export interface OptionSpec {
  readonly name: string;
  /** Shown after the name in the help; absent for a switch. */
  readonly value?: string;
  readonly about: string;
}

export interface PositionalSpec {
  readonly name: string;
  readonly required: boolean;
  readonly about: string;
}

export interface ParsedArguments {
  positionals: (string | undefined)[];
  options: Record<string, string | boolean | undefined>;
}

/** Arguments of one command. What the command does not know is an error that names the help. */
export function parseArguments(
  command: string,
  argv: string[],
  options: readonly OptionSpec[],
  positionals: readonly PositionalSpec[],
): ParsedArguments {
  const help = `tidepool ${command} --help shows how to use it`;
  const fail = (reason: string): never => {
    throw new TidepoolError('usage', `${reason}; ${help}`);
  };
  const specs = Object.fromEntries(
    options.map(({ name, value }) => [
      name,
      { type: value === undefined ? ('boolean' as const) : ('string' as const) },
    ]),
  );
  let parsed: { positionals: string[]; values: Record<string, unknown> };
  try {
    parsed = parseArgs({ args: argv, options: specs, allowPositionals: true, strict: true });
  } catch (error) {
    return fail((error as Error).message.split('. ')[0]!);
  }
  if (parsed.positionals.length > positionals.length) {
    fail(`unexpected argument ${JSON.stringify(parsed.positionals[positionals.length])}`);
  }
  positionals.forEach(({ name, required }, index) => {
    if (required && parsed.positionals[index] === undefined) fail(`${name} is missing`);
  });
  return { positionals: parsed.positionals, options: parsed.values as ParsedArguments['options'] };
}
