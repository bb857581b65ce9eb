// Room: the command `tidepool`. May import programs and every library but devkit; it knows nothing of Nest.

import { TidepoolError } from '#libs/core/errors.js';
import { EXIT, exitCodeOf } from '#libs/platform/exit-code.js';
import { programVersion } from '#libs/platform/program-version.js';
import { type PositionalSpec, parseArguments } from './arguments.js';
import type { Command, CommandIo, Executor } from './command.js';
import { accountCommands } from './commands/accounts.js';
import { dlqCommands } from './commands/dlq.js';
import { keyCommands } from './commands/keys.js';
import { secretCommands } from './commands/secrets.js';
import { statusCommand } from './commands/status.js';
import { migrateCommand, replayCommand } from './commands/store.js';
import { topicCommands } from './commands/topics.js';
import { upgradeCommand } from './commands/upgrade.js';
import { runDecode } from './decode/run-decode.js';
import { commandHelp, overview } from './help.js';
import { planCommand } from './plan/plan-command.js';

/** A command that `dispatch` hands its arguments to as they are; here it is for the help alone. */
const listed = (name: string, summary: string, positional: PositionalSpec): Command => ({
  ...{ name, summary, positionals: [positional], options: [] },
  run: async () => EXIT.ok,
});

export const commands: readonly Command[] = [
  statusCommand,
  ...topicCommands,
  replayCommand,
  migrateCommand,
  upgradeCommand,
  planCommand,
  ...dlqCommands,
  ...accountCommands,
  ...keyCommands,
  ...secretCommands,
  // Reads files only: it asks neither an instance nor the stores, so the executor below is never loaded for it.
  listed('decode', 'swaps in receipts, transactions or blocks, one JSON line each', {
    ...{ name: 'FILE…', required: true, about: 'files to read; "-" is standard input' },
  }),
  // Speaks to a node, not to the instance; its own list of commands is loaded when it is asked for.
  listed('program', 'deploy and administer the on-chain swap program of Solana', {
    ...{ name: 'COMMAND', required: true, about: 'deploy, show, pause …; tidepool program lists them' },
  }),
];

/** The `tidepool` command line. Answers the exit code; results go to standard output, words to standard error. */
export async function main(argv: string[], given?: Partial<CommandIo> & { executor?: Executor }): Promise<number> {
  const { io, release } = given?.signal ? { io: completeIo(given, given.signal), release: () => {} } : processIo(given);
  try {
    return await dispatch(argv, io, given?.executor);
  } catch (error) {
    if (io.signal.aborted) {
      io.stderr.write('cancelled\n');
      return EXIT.forced;
    }
    io.stderr.write(`tidepool: ${sentence(error)}\n`);
    return exitCodeOf(error);
  } finally {
    release();
  }
}

async function dispatch(argv: string[], io: CommandIo, executor?: Executor): Promise<number> {
  const [first] = argv;
  if (first === undefined || first === '--help' || first === '-h' || first === 'help') {
    const asked = argv.slice(1).filter((word) => !word.startsWith('-'));
    if (first === 'help' && asked.length > 0) return dispatch([...asked, '--help'], io, executor);
    (first === undefined ? io.stderr : io.stdout).write(overview(commands));
    return first === undefined ? EXIT.usage : EXIT.ok;
  }
  if (first === '--version' || first === '-v' || first === 'version') {
    io.stdout.write(`${programVersion()}\n`);
    return EXIT.ok;
  }
  if (first === 'decode') return runDecode(argv.slice(1), io);
  if (first === 'program') return (await import('./program/run-program.js')).runProgram(argv.slice(1), io);
  const command = commands.find(({ name }) => argv.slice(0, name.split(' ').length).join(' ') === name);
  if (!command) return unknown(argv, io);
  const rest = argv.slice(command.name.split(' ').length);
  if (rest.includes('--help') || rest.includes('-h')) {
    io.stdout.write(commandHelp(command));
    return EXIT.ok;
  }
  const args = parseArguments(command.name, rest, command.options, command.positionals);
  const runner = executor ?? new (await import('./executor.js')).DataFolderExecutor(io);
  return command.run({ ...io, args, execute: runner.execute.bind(runner), config: runner.config.bind(runner) });
}

function unknown(argv: string[], io: CommandIo): number {
  const group = commands.some(({ name }) => name.startsWith(`${argv[0]} `)) ? argv[0]! : undefined;
  const bare = group !== undefined && (argv.length === 1 || argv[1] === '--help' || argv[1] === '-h');
  if (bare) {
    (argv.length === 1 ? io.stderr : io.stdout).write(overview(commands, group));
    return argv.length === 1 ? EXIT.usage : EXIT.ok;
  }
  const said = argv.slice(0, group === undefined ? 1 : 2).join(' ');
  throw new TidepoolError('usage', `there is no command ${JSON.stringify(said)}; tidepool --help lists them`);
}

function sentence(error: unknown): string {
  if (error instanceof TidepoolError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

const completeIo = (given: Partial<CommandIo> | undefined, signal: AbortSignal): CommandIo => ({
  stdin: given?.stdin ?? process.stdin,
  stdout: given?.stdout ?? process.stdout,
  stderr: given?.stderr ?? process.stderr,
  signal,
});

/** The process's own streams, with Ctrl-C as cancellation; a second Ctrl-C ends at once. */
function processIo(given: Partial<CommandIo> | undefined): { io: CommandIo; release: () => void } {
  const abort = new AbortController();
  const stop = (): void => {
    if (abort.signal.aborted) process.exit(EXIT.forced);
    abort.abort();
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  // `tidepool … | head`: the reader of our output had enough, which is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT.ok);
    throw error;
  });
  return {
    io: completeIo(given, abort.signal),
    release: () => {
      process.off('SIGINT', stop);
      process.off('SIGTERM', stop);
    },
  };
}
