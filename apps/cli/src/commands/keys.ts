import { EXIT } from '#libs/platform/exit-code.js';
import { answer, JSON_OPTION } from '../answer.js';
import type { Command, CommandContext } from '../command.js';
import { table } from '../text-table.js';

const KEY = { name: 'KEY', required: true, about: 'the key’s id, as keys ls shows it' } as const;

interface ShownKey {
  id: string;
  account: string;
  name: string;
  scopes: string[];
  origins: string[];
  createdAt: number;
  expiresAt: number | null;
  revokedAt: number | null;
}

const time = (at: number | null): string => (at === null ? '-' : new Date(at).toISOString());
const stateOf = ({ revokedAt, expiresAt }: ShownKey): string =>
  revokedAt !== null ? 'revoked' : expiresAt !== null && expiresAt <= Date.now() ? 'expired' : 'valid';

/** The key alone on standard output, so that it can be taken from there; the words to standard error. */
function showNew({ stdout, stderr, args }: CommandContext, got: ShownKey & { key: string }, words: string): number {
  if (args.options.json) stdout.write(`${JSON.stringify(got, null, 2)}\n`);
  else {
    stdout.write(`${got.key}\n`);
    stderr.write(`key ${got.id} of ${got.account}, shown this once; ${words}\n`);
  }
  return EXIT.ok;
}

export const keyCommands: readonly Command[] = [
  {
    name: 'keys ls',
    summary: 'keys by their ids; the keys themselves are stored nowhere',
    positionals: [{ name: 'ACCOUNT', required: false, about: 'of one account' }],
    options: [JSON_OPTION],
    run: (context) =>
      answer<{ keys: ShownKey[] }>(context, 'keys.ls', { account: context.args.positionals[0] }, ({ keys }) => {
        const rows = keys.map((key) => [
          ...[key.id, key.account, stateOf(key), key.scopes.join(','), key.origins.join(',') || 'any'],
          ...[time(key.createdAt), time(key.expiresAt), key.name],
        ]);
        return table(['id', 'account', 'state', 'for', 'origins', 'made', 'ends', 'name'], rows);
      }),
  },
  {
    name: 'keys create',
    summary: 'make a key; it is shown once',
    positionals: [{ name: 'ACCOUNT', required: true, about: 'whose it is' }],
    options: [
      { name: 'name', value: 'TEXT', about: 'for people' },
      { name: 'scopes', value: 'LIST', about: 'of data, router, launch, gateway; all without it' },
      { name: 'origins', value: 'LIST', about: 'pages that may use it, for example https://app.example' },
      { name: 'days', value: 'N', about: 'ends after so many days' },
      JSON_OPTION,
    ],
    async run(context) {
      const { positionals, options } = context.args;
      const { name, scopes, origins, days } = options;
      const given = { account: positionals[0], name, scopes, origins, days };
      const got = (await context.execute('keys.create', given)) as ShownKey & { key: string };
      return showNew(context, got, `it is for ${got.scopes.join(', ')}`);
    },
  },
  {
    name: 'keys rotate',
    summary: 'make a key in the place of another, which ends after a grace',
    positionals: [KEY],
    options: [{ name: 'grace', value: 'HOURS', about: 'how long the old one goes on; 24 without it' }, JSON_OPTION],
    async run(context) {
      const given = { id: context.args.positionals[0], hours: context.args.options.grace };
      const got = (await context.execute('keys.rotate', given)) as ShownKey & { key: string; old: ShownKey };
      return showNew(context, got, `key ${got.old.id} ends at ${time(got.old.expiresAt)}`);
    },
  },
  {
    name: 'keys revoke',
    summary: 'refuse a key from now on, everywhere; its open streams end',
    positionals: [KEY],
    options: [JSON_OPTION],
    run: (context) =>
      answer<ShownKey>(context, 'keys.revoke', { id: context.args.positionals[0] }, ({ id }) => `key ${id} is revoked`),
  },
];
