import { EXIT } from '#libs/platform/exit-code.js';
import { programDataId, type SwapConfig } from '#programs/swap-client.js';
import { table } from '../text-table.js';
import { type DeployedCode, findConfig, requireCode } from './deployed.js';
import { executableOf } from './executable-file.js';
import { address, file, json, program as programOption, text, url } from './options.js';
import type { ProgramCommand } from './program-command.js';
import { base58, openProgram } from './session.js';

interface Check {
  check: string;
  ok: boolean;
  found: string;
}

function codeCheck({ code }: DeployedCode, expected: Buffer): Check {
  const check = 'code';
  if (code.length < expected.length) {
    return { check, ok: false, found: `${code.length} bytes are too few for the ${expected.length} expected` };
  }
  const differs = expected.findIndex((byte, at) => code[at] !== byte);
  const rest = code.subarray(expected.length).findIndex((byte) => byte !== 0);
  const at = differs >= 0 ? differs : rest < 0 ? -1 : expected.length + rest;
  if (at >= 0) return { check, ok: false, found: `differs from the expected code at byte ${at}` };
  const room = code.length - expected.length;
  return { check, ok: true, found: `${expected.length} bytes as expected${room > 0 ? `, room for ${room} more` : ''}` };
}

function authorityCheck({ authority }: DeployedCode, expected: string | undefined): Check {
  const check = 'upgrade authority';
  const found = authority === null ? 'none: the code can never change' : base58(authority);
  const ok = expected === undefined || (authority !== null && base58(authority) === expected);
  return { check, ok, found: ok ? found : `${found}, not ${expected}` };
}

function configCheck(config: SwapConfig | null): Check {
  if (!config) return { check: 'config', ok: false, found: 'none; tidepool program init makes it' };
  const state = config.paused ? 'paused' : 'routes run';
  const live = config.rows.filter((row) => row.live).length;
  const found = `admin ${base58(config.admin)}, ${state}, ${live} of ${config.rows.length} venues live`;
  return { check: 'config', ok: true, found };
}

export const verifyCommand: ProgramCommand = {
  name: 'program verify',
  summary: 'compare what is deployed with what is shipped',
  about:
    'Compares the code on chain with the shipped executable byte for byte, names the upgrade authority and reads the config.\n' +
    'Exit code 1 when something is not as it must be.',
  examples: ['program verify --url https://api.mainnet-beta.solana.com --program ADDRESS --authority ADDRESS'],
  positionals: [],
  options: [
    url,
    programOption,
    { name: 'authority', value: 'ADDRESS', about: 'the upgrade authority it must have' },
    file,
    json,
  ],
  async run(context) {
    const { options } = context.args;
    const wanted = text(options, 'authority');
    const authority = wanted === undefined ? undefined : base58(address('--authority', wanted));
    const expected = executableOf(options);
    const { cluster, program } = await openProgram(context);
    const code = await requireCode(cluster, program);
    const config = await findConfig(cluster, program);
    const checks = [codeCheck(code, expected), authorityCheck(code, authority), configCheck(config)];
    const ok = checks.every((check) => check.ok);
    const answer = { program: base58(program), programData: base58(programDataId(program)), ok, checks };
    const rows = checks.map((check) => [check.ok ? 'ok' : 'WRONG', check.check, check.found]);
    const shown = options.json ? JSON.stringify(answer, null, 2) : table(['', 'what', 'found'], rows);
    context.stdout.write(`${shown}\n`);
    return ok ? EXIT.ok : EXIT.failure;
  },
};
