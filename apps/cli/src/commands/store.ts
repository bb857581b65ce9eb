import { EXIT } from '#libs/platform/exit-code.js';
import { withProgress } from '../answer.js';
import type { Command } from '../command.js';

export const migrateCommand: Command = {
  name: 'migrate',
  summary: 'bring the tables to the schema of this version',
  about: 'Applies what is missing, in order. Safe to repeat; a start does the same.',
  positionals: [],
  options: [],
  async run({ stdout, execute }) {
    const { migrated } = (await execute('migrate', {})) as { migrated: { database: string; applied: string[] }[] };
    for (const { database, applied } of migrated) {
      stdout.write(`${database}: ${applied.length === 0 ? 'up to date' : `applied ${applied.join(', ')}`}\n`);
    }
    return EXIT.ok;
  },
};

export const replayCommand: Command = {
  name: 'replay',
  summary: 'rebuild a chain’s tables from the log and switch to them',
  about:
    'Fills a new generation of tables beside the one that is served, then flips one pointer. Serving goes on meanwhile;\n' +
    'an interrupted replay goes on where it was when it is started again.',
  positionals: [{ name: 'CHAIN', required: false, about: 'needed when more than one chain is indexed' }],
  options: [],
  async run({ args, stdout, stderr, execute }) {
    const given = { chain: args.positionals[0] };
    const { chain, generation, seq } = (await withProgress({ stderr }, (progress) =>
      execute('replay', given, { progress }),
    )) as { chain: string; generation: number; seq: number };
    stdout.write(`${chain}: generation ${generation} is served now, complete up to seq ${seq}\n`);
    return EXIT.ok;
  },
};
