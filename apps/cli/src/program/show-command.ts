import type { Hex } from '#libs/core/ids.js';
import { EXIT } from '#libs/platform/exit-code.js';
import type { SwapConfig } from '#programs/client.js';
import { configId } from '#programs/swap-client.js';
import { table } from '../text-table.js';
import { requireConfig } from './deployed.js';
import { json, program as programOption, url } from './options.js';
import { lines, type ProgramCommand } from './program-command.js';
import { base58, openProgram } from './session.js';

/** The config as people and programs read it. */
const orNone = (id: Hex | null, none: string): string => (id === null ? none : base58(id));

export function configView(program: Hex, config: SwapConfig) {
  return {
    program: base58(program),
    config: base58(configId(program)),
    admin: base58(config.admin),
    proposedAdmin: config.pendingAdmin === null ? null : base58(config.pendingAdmin),
    paused: config.paused,
    feeOwner: config.feeOwner === null ? null : base58(config.feeOwner),
    maxFeeBps: config.maxFeeBps,
    venues: config.rows.map(({ program: venue, kind, live }) => ({ program: base58(venue), kind, live })),
  };
}

export function venueTable({ rows }: SwapConfig): string {
  if (rows.length === 0) return 'no venues; tidepool program venue add makes a row\n';
  const cells = rows.map(({ program, kind, live }) => [base58(program), kind, live ? 'on' : 'off']);
  return `${table(['venue', 'kind', 'live'], cells)}\n`;
}

export const showCommand: ProgramCommand = {
  name: 'program show',
  summary: 'the config: admin, fee, state and venues',
  about: 'Reads the config as of the newest confirmed block.',
  examples: ['program show --url https://api.devnet.solana.com --program ADDRESS', 'program show --json'],
  positionals: [],
  options: [url, programOption, json],
  async run(context) {
    const { cluster, program } = await openProgram(context);
    const config = await requireConfig(cluster, program);
    if (context.args.options.json) {
      context.stdout.write(`${JSON.stringify(configView(program, config), null, 2)}\n`);
      return EXIT.ok;
    }
    const head = lines([
      ['program', base58(program)],
      ['config', base58(configId(program))],
      ['state', config.paused ? 'paused: routes are refused' : 'routes run'],
      ['admin', base58(config.admin)],
      ['proposed admin', orNone(config.pendingAdmin, '-')],
      ['fee owner', orNone(config.feeOwner, 'any')],
      ['highest fee', `${config.maxFeeBps} bps`],
    ]);
    context.stdout.write(`${head}\n${venueTable(config)}`);
    return EXIT.ok;
  },
};
