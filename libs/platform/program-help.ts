import type { AppName } from './config.js';
import { EXIT } from './exit-code.js';
import { variables } from './variables.js';

/**
 * What a program answers to its arguments, before it starts: all of them are settings in the environment, so it takes none
 * but `--help`. Null: there are none, it starts.
 */
export interface ProgramAnswer {
  readonly code: number;
  readonly text: string;
}

const PROGRAMS: Record<Exclude<AppName, 'cli'>, { command: string; about: string }> = {
  'all-in-one': {
    command: 'npm start',
    about: 'All of Tidepool in one process. A chain without a node is a local one, with traffic of its own.',
  },
  ingest: { command: 'node dist/apps/ingest/src/main.js', about: 'Reads chains and writes topics and tables.' },
  api: { command: 'node dist/apps/api/src/main.js', about: 'Market data, live streams and the JSON-RPC gateway.' },
  router: { command: 'node dist/apps/router/src/main.js', about: 'Quotes, swaps, launches and the bundle relay.' },
};

export function programAnswer(app: AppName, args: readonly string[]): ProgramAnswer | null {
  const [first] = args;
  if (first === undefined || app === 'cli') return null;
  const { command } = PROGRAMS[app];
  if (first === '--help' || first === '-h') return { code: EXIT.ok, text: programHelp(app) };
  return {
    code: EXIT.usage,
    text: `${command} takes no argument "${first}": settings are environment variables, --help lists them\n`,
  };
}

function programHelp(app: Exclude<AppName, 'cli'>): string {
  const { command, about } = PROGRAMS[app];
  const help = app === 'all-in-one' ? `${command} -- --help` : `${command} --help`;
  const settings = variables.flatMap(({ name, fallback, rule, about: meaning }) => [
    `  ${name}`,
    ...wrapped(`${meaning}; ${rule}${fallback === '' ? '' : `; default ${fallback.replaceAll('`', '')}`}`, '      '),
  ]);
  return [
    `usage: ${command}`,
    `       ${help}`,
    '',
    ...wrapped(about, '  '),
    '  SIGINT or SIGTERM end it in order. npx tidepool --help has the commands for what runs.',
    '',
    'Settings, from the environment or from a file .env in the folder that it starts in:',
    '',
    ...settings,
    '',
  ].join('\n');
}

const WIDTH = 120;

function wrapped(text: string, indent: string): string[] {
  const lines: string[] = [];
  let line = indent;
  for (const word of text.split(' ')) {
    if (line.length + word.length > WIDTH && line.trim() !== '') {
      lines.push(line.trimEnd());
      line = indent;
    }
    line += `${word} `;
  }
  return [...lines, line.trimEnd()];
}
