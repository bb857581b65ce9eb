import type { Hex } from '#libs/core/ids.js';
import { EXIT } from '#libs/platform/exit-code.js';
import { addRow, removeRow, type SwapConfig, setRow, type VenueRow } from '#programs/swap-client.js';
import type { OptionSpec } from '../arguments.js';
import { changeByAdmin, refuse } from './admin-commands.js';
import { requireConfig } from './deployed.js';
import { address, changing, json, kind, kindsText, live, program as programOption, url } from './options.js';
import type { ProgramCommand } from './program-command.js';
import { base58, openProgram, type ProgramContext } from './session.js';
import { configView, venueTable } from './show-command.js';

/** Rows of the config: which venues a route may go through. */
const MAX_ROWS = 32;
const kindOption: OptionSpec = { name: 'kind', value: 'KIND', about: kindsText };
const liveOption: OptionSpec = { name: 'live', value: 'on|off', about: 'whether routes may use it' };
const venuePositional = { name: 'VENUE', required: true, about: 'address of the venue’s program' } as const;

const venueOf = (context: ProgramContext): Hex => address('VENUE', context.args.positionals[0] as string);
const words = ({ kind: k, live: l }: VenueRow): string => `${k}, ${l ? 'live' : 'not live'}`;

function rowOf(config: SwapConfig, venue: Hex): VenueRow {
  const row = config.rows.find(({ program }) => program === venue);
  return row ?? refuse('no_row', `${base58(venue)} has no row; tidepool program venue list shows those there are`);
}

const venueAdd: ProgramCommand = {
  name: 'program venue add',
  summary: 'let routes use a venue',
  about: `Signed by the admin. One row for each venue, at most ${MAX_ROWS}.`,
  examples: ['program venue add VENUE --kind pool --program ADDRESS --keypair admin.json'],
  positionals: [venuePositional],
  options: [...changing, kindOption, { ...liveOption, about: `${liveOption.about}; on without it` }],
  run: (context) =>
    changeByAdmin(context, async (config, program, admin, { cluster }) => {
      const venue = venueOf(context);
      const ofKind = kind(context.args.options) ?? refuse('usage', `--kind is missing: ${kindsText}`);
      const found = config.rows.find((row) => row.program === venue);
      if (found) {
        refuse(
          'row_exists',
          `${base58(venue)} has a row already (${words(found)}); tidepool program venue set changes it`,
        );
      }
      if (venue === program || /^0+$/.test(venue))
        refuse('usage', 'VENUE is the swap program itself or the zero address');
      if (config.rows.length === MAX_ROWS) {
        refuse('rows_full', `all ${MAX_ROWS} rows are taken; tidepool program venue remove makes room`);
      }
      if (!(await cluster.account(venue))?.executable) {
        context.stderr.write(`tidepool: no program is at ${base58(venue)} on this cluster\n`);
      }
      const row: VenueRow = { program: venue, kind: ofKind, live: live(context.args.options) ?? true };
      const done = `${base58(venue)}: ${words(row)}`;
      return { label: 'venue add', instruction: addRow(program, admin, row), done };
    }),
};

const venueSet: ProgramCommand = {
  name: 'program venue set',
  summary: 'change a venue’s kind or take it out of use',
  about: 'Signed by the admin. What is not named stays as it is.',
  examples: ['program venue set VENUE --live off --program ADDRESS --keypair admin.json'],
  positionals: [venuePositional],
  options: [...changing, kindOption, liveOption],
  run: (context) =>
    changeByAdmin(context, (config, program, admin) => {
      const { options } = context.args;
      const before = rowOf(config, venueOf(context));
      const [ofKind, isLive] = [kind(options), live(options)];
      if (ofKind === undefined && isLive === undefined) refuse('usage', 'name --kind or --live');
      const row = { ...before, kind: ofKind ?? before.kind, live: isLive ?? before.live };
      if (words(row) === words(before)) refuse('no_change', `${base58(row.program)} is that already: ${words(row)}`);
      const done = `${base58(row.program)}: ${words(row)}`;
      return { label: 'venue set', instruction: setRow(program, admin, row), done };
    }),
};

const venueRemove: ProgramCommand = {
  name: 'program venue remove',
  summary: 'remove a venue’s row',
  about: 'Signed by the admin.',
  examples: ['program venue remove VENUE --program ADDRESS --keypair admin.json'],
  positionals: [venuePositional],
  options: changing,
  run: (context) =>
    changeByAdmin(context, (config, program, admin) => {
      const { program: venue } = rowOf(config, venueOf(context));
      const done = `${base58(venue)} has no row any more`;
      return { label: 'venue remove', instruction: removeRow(program, admin, venue), done };
    }),
};

const venueList: ProgramCommand = {
  name: 'program venue list',
  summary: 'the venues that routes may use',
  about: 'Reads the config as of the newest confirmed block.',
  examples: ['program venue list --url https://api.devnet.solana.com --program ADDRESS'],
  positionals: [],
  options: [url, programOption, json],
  async run(context) {
    const { cluster, program } = await openProgram(context);
    const config = await requireConfig(cluster, program);
    const { venues } = configView(program, config);
    context.stdout.write(context.args.options.json ? `${JSON.stringify({ venues }, null, 2)}\n` : venueTable(config));
    return EXIT.ok;
  },
};

export const venueCommands = [venueAdd, venueSet, venueRemove, venueList] as const;
