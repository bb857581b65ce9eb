import type { Command } from './command.js';

/** What the help needs of a command. */
type Described = Omit<Command, 'run'>;

const synopsis = ({ name, positionals, options }: Described): string => {
  const words = positionals.map((positional) => (positional.required ? positional.name : `[${positional.name}]`));
  return ['tidepool', name, ...words, ...(options.length > 0 ? ['[options]'] : [])].join(' ');
};

const table = (rows: readonly (readonly [string, string])[]): string => {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, about]) => `  ${name.padEnd(width)}  ${about}`).join('\n');
};

/** Help of one command. */
export function commandHelp(command: Described): string {
  const options = [
    ...command.options.map(
      ({ name, value, about }) => [`--${name}${value === undefined ? '' : ` ${value}`}`, about] as const,
    ),
    ['--help', 'this text'] as const,
  ];
  const parts = [`usage: ${synopsis(command)}`, command.about ?? command.summary];
  if (command.positionals.length > 0) parts.push(table(command.positionals.map(({ name, about }) => [name, about])));
  parts.push(table(options));
  return `${parts.join('\n\n')}\n`;
}

const FOOT =
  'Commands talk to the instance that runs on the data folder (TIDEPOOL_DATA_DIR, default .tidepool), and open it\n' +
  'themselves when none runs. tidepool <command> --help shows the arguments of a command.';

/** Help of the whole program, or of the commands that start with a word (`topics`, `dlq`). */
export function overview(commands: readonly Described[], group?: string, foot = FOOT): string {
  const shown = group === undefined ? commands : commands.filter(({ name }) => name.startsWith(`${group} `));
  const head = `usage: tidepool ${group === undefined ? '' : `${group} `}<command> [arguments]`;
  return `${head}\n\n${table(shown.map(({ name, summary }) => [name, summary]))}\n\n${foot}\n`;
}
