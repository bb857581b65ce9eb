import { TidepoolError } from '#libs/core/errors.js';
import type { Hex } from '#libs/core/ids.js';
import { EXIT } from '#libs/platform/exit-code.js';
import { extendProgram, PROGRAM_DATA_HEAD, upgradeProgram } from '#programs/loader-client.js';
import { CodeBuffer } from './code-buffer.js';
import { afterSlot, fillBuffer, LOADER_UNITS } from './deploy-command.js';
import { type DeployedCode, requireCode } from './deployed.js';
import { executableOf } from './executable-file.js';
import { changing, file, json, yes } from './options.js';
import { lines, type ProgramCommand } from './program-command.js';
import { type Sender, sol } from './sender.js';
import { agree, base58, openProgram, openSigning, type ProgramContext, printSteps } from './session.js';
import { type ProgramStep, transactionOf, unsigned } from './transactions.js';

/** Clusters refuse to give a program less than this at a time. */
const LEAST_EXTENSION = 10_240;

/** The step that makes room, in the form that the cluster takes; null when there is enough. */
async function extension(sender: Sender, program: Hex, missing: number): Promise<ProgramStep | null> {
  if (missing <= 0) return null;
  const { payer } = sender.terms;
  const step = (authority?: Hex): ProgramStep => ({
    label: 'make room',
    instructions: [extendProgram(program, payer, Math.max(missing, LEAST_EXTENSION), authority)],
    units: LOADER_UNITS,
  });
  const checked = step(payer);
  const { hash } = await sender.cluster.blockhash();
  const err = await sender.cluster.simulate(unsigned(transactionOf(checked, sender.terms, hash)));
  return JSON.stringify(err)?.includes('InvalidInstructionData') ? step() : checked;
}

function checkAuthority({ authority }: DeployedCode, program: Hex, payer: Hex): void {
  if (authority === payer) return;
  const who = authority === null ? 'it has none and can never change' : `it is ${base58(authority)}`;
  throw new TidepoolError(
    'not_authority',
    `${base58(payer)} is not the upgrade authority of ${base58(program)}: ${who}${authority === null ? '' : '; sign with its key'}`,
  );
}

async function run(context: ProgramContext): Promise<number> {
  const { options } = context.args;
  const { cluster, program } = await openProgram(context);
  const signing = openSigning(context, cluster);
  const { sender } = signing;
  const { payer } = sender.terms;
  const code = executableOf(options);
  const deployed = await requireCode(cluster, program);
  checkAuthority(deployed, program, payer);
  const rest = deployed.code.subarray(code.length);
  if (deployed.code.subarray(0, code.length).equals(code) && rest.every((byte) => byte === 0)) {
    throw new TidepoolError('same_code', `${base58(program)} has this code already: there is nothing to upgrade`);
  }
  const buffer = new CodeBuffer(sender, code);
  const { held, make, writes } = await buffer.plan();
  const extend = await extension(sender, program, code.length - deployed.code.length);
  const upgrade: ProgramStep = {
    label: 'upgrade',
    instructions: [upgradeProgram({ payer, buffer: buffer.made.id, program, authority: payer })],
    units: LOADER_UNITS,
  };
  const steps = [...(extend ? [extend] : []), ...(make ? [make] : []), ...writes, upgrade];
  if (signing.dryRun) {
    await printSteps(context, signing, steps);
    return EXIT.ok;
  }
  const fees = steps.reduce((sum, step) => sum + sender.feeOf(step), 0n);
  const room = deployed.code.length + Math.max(LEAST_EXTENSION, code.length - deployed.code.length);
  const size = PROGRAM_DATA_HEAD + deployed.code.length;
  const growth = extend ? (await cluster.rent(PROGRAM_DATA_HEAD + room)) - (await cluster.rent(size)) : 0n;
  await agree(context, cluster, `upgrading ${base58(program)} to ${code.length} bytes`, fees + growth);
  const buffered = (await buffer.rent()) - held;
  await sender.requireBalance(fees + growth + (buffered > 0n ? buffered : 0n), 'upgrading (the buffer comes back)');
  const before = (await cluster.balance(payer)) + held;
  if (extend) await sender.run(extend);
  await fillBuffer(context, buffer);
  const { slot } = await sender.run(upgrade);
  await afterSlot(cluster, slot);
  const spent = before - (await cluster.balance(payer));
  const told = { program: base58(program), bytes: code.length, costLamports: spent.toString() };
  const rows: [string, string][] = [
    ['upgraded', told.program],
    ['bytes', String(code.length)],
    ['cost', sol(spent)],
  ];
  context.stdout.write(options.json ? `${JSON.stringify(told, null, 2)}\n` : lines(rows));
  return EXIT.ok;
}

export const upgradeCommand: ProgramCommand = {
  name: 'program upgrade',
  summary: 'replace the code of a deployed program',
  about:
    'Writes the code into a buffer and swaps it in; the config stays. Signed by the upgrade authority. A program without\n' +
    'room for the code is extended first. What an interruption left is found again by the same command.',
  examples: ['program upgrade --url https://api.devnet.solana.com --program ADDRESS --keypair deployer.json --yes'],
  positionals: [],
  options: [...changing, file, yes, json],
  run,
};
