import { TidepoolError } from '#libs/core/errors.js';
import { EXIT } from '#libs/platform/exit-code.js';
import { parseArguments } from '../arguments.js';
import type { CommandIo } from '../command.js';
import { commandHelp, overview } from '../help.js';
import {
  adminAccept,
  adminPropose,
  adminWithdraw,
  feeCommand,
  initCommand,
  pauseCommand,
  unpauseCommand,
} from './admin-commands.js';
import { deployCommand } from './deploy-command.js';
import { findLocalNode } from './local-node.js';
import type { ProgramCommand } from './program-command.js';
import { showCommand } from './show-command.js';
import { upgradeCommand } from './upgrade-command.js';
import { venueCommands } from './venue-commands.js';
import { verifyCommand } from './verify-command.js';

export const programCommands: readonly ProgramCommand[] = [
  deployCommand,
  upgradeCommand,
  verifyCommand,
  initCommand,
  showCommand,
  pauseCommand,
  unpauseCommand,
  ...venueCommands,
  feeCommand,
  adminPropose,
  adminAccept,
  adminWithdraw,
];

const FOOT =
  'Commands speak to the node of --url, without it to the local Solana chain of the instance that runs on the data folder.\n' +
  'tidepool program <command> --help shows arguments and examples; docs/programs.md describes the program.';

const isHelp = (word: string): boolean => word === '--help' || word === '-h';

/** `tidepool program …`, given what is after it. */
export async function runProgram(argv: string[], io: CommandIo): Promise<number> {
  const words = ['program', ...argv];
  const command = programCommands.find(({ name }) => words.slice(0, name.split(' ').length).join(' ') === name);
  if (!command) return listed(words, io);
  const rest = words.slice(command.name.split(' ').length);
  if (rest.some(isHelp)) {
    const examples = command.examples.map((example) => `  npx --no tidepool ${example}`).join('\n');
    io.stdout.write(commandHelp({ ...command, about: `${command.about}\n\n${examples}` }));
    return EXIT.ok;
  }
  const args = parseArguments(command.name, rest, command.options, command.positionals);
  return command.run({ ...io, args, localNode: () => findLocalNode(io.signal) });
}

/** The commands there are, or those that begin with the words. */
function listed(words: string[], io: CommandIo): number {
  const options = words.findIndex((word) => word.startsWith('-'));
  const asked = options < 0 ? words : words.slice(0, options);
  const group = asked.join(' ');
  const known = programCommands.some(({ name }) => name.startsWith(`${group} `));
  if (!known) {
    const said = JSON.stringify(asked.slice(0, 3).join(' '));
    throw new TidepoolError('usage', `there is no command ${said}; tidepool program --help lists them`);
  }
  const helped = words.some(isHelp);
  (helped ? io.stdout : io.stderr).write(overview(programCommands, group, FOOT));
  return helped ? EXIT.ok : EXIT.usage;
}
