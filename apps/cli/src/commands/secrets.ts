import { answer } from '../answer.js';
import type { Command } from '../command.js';
import { table } from '../text-table.js';

interface Secrets {
  secrets: { id: string; createdAt: number; state: string }[];
}

const command = (word: 'ls' | 'rotate', summary: string): Command => ({
  name: `secrets ${word}`,
  summary,
  positionals: [],
  options: [],
  run: (context) =>
    answer<Secrets>(context, `secrets.${word}`, {}, ({ secrets }) => {
      const rows = secrets.map(({ id, createdAt, state }) => [id, new Date(createdAt).toISOString(), state]);
      return table(['id', 'made', 'state'], rows);
    }),
});

/** What page cursors are signed with, on every instance of a log. The secrets themselves are never shown. */
export const secretCommands: readonly Command[] = [
  command('ls', 'secrets that page cursors are signed with: their ids, and which of them hold'),
  command('rotate', 'a new secret for page cursors on every instance; the one before is accepted for a day'),
];
