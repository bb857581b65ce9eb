import { EXIT } from '#libs/platform/exit-code.js';
import type { Command } from '../command.js';
import { table } from '../text-table.js';

interface Shown {
  id: string;
  createdAt: number;
  state: string;
}

const shown = (secrets: Shown[]): string =>
  table(
    ['id', 'made', 'state'],
    secrets.map(({ id, createdAt, state }) => [id, new Date(createdAt).toISOString(), state]),
  );

/** What page cursors are signed with, on every instance of a log. The secrets themselves are never shown. */
export const secretCommands: readonly Command[] = [
  {
    name: 'secrets ls',
    summary: 'secrets that page cursors are signed with: their ids, and which of them hold',
    positionals: [],
    options: [],
    run: async ({ stdout, execute }) => {
      const { secrets } = (await execute('secrets.ls', {})) as { secrets: Shown[] };
      stdout.write(`${shown(secrets)}\n`);
      return EXIT.ok;
    },
  },
  {
    name: 'secrets rotate',
    summary: 'a new secret for page cursors on every instance; the one before is accepted for a day',
    positionals: [],
    options: [],
    run: async ({ stdout, execute }) => {
      const { secrets } = (await execute('secrets.rotate', {})) as { secrets: Shown[] };
      stdout.write(`${shown(secrets)}\n`);
      return EXIT.ok;
    },
  },
];
