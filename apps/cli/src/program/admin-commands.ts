import { TidepoolError } from '#libs/core/errors.js';
import type { Hex } from '#libs/core/ids.js';
import { EXIT } from '#libs/platform/exit-code.js';
import type { Instruction } from '#programs/instruction.js';
import { acceptAdmin, initConfig, proposeAdmin, type SwapConfig, setFee, setPaused } from '#programs/swap-client.js';
import { findConfig, requireCode, requireConfig } from './deployed.js';
import { address, changing, feeOwner, highestFee, maxFeeBps, owner } from './options.js';
import type { ProgramCommand } from './program-command.js';
import { base58, openProgram, openSigning, type ProgramContext, printSteps } from './session.js';
import type { ProgramStep } from './transactions.js';

/**
 * Changes of the config. What the program would refuse is refused before anything is sent, with the next step; the program
 * has the last word all the same.
 */
const UNITS = 100_000;
const CONFIG_BYTES = 1392;

export interface ConfigChange {
  label: string;
  instruction: Instruction;
  /** Printed once it is confirmed. */
  done: string;
}

export const refuse = (code: string, words: string): never => {
  throw new TidepoolError(code, words);
};

async function carryOut(
  context: ProgramContext,
  plan: (parts: Parts) => Promise<ConfigChange>,
  needs: (parts: Parts) => Promise<bigint> = async () => 0n,
): Promise<number> {
  const { cluster, program } = await openProgram(context);
  const signing = openSigning(context, cluster);
  const { sender } = signing;
  const parts = { ...context, cluster, program, signer: sender.terms.payer };
  const { label, instruction, done } = await plan(parts);
  const step: ProgramStep = { label, instructions: [instruction], units: UNITS };
  if (signing.dryRun) {
    await printSteps(context, signing, [step]);
    return EXIT.ok;
  }
  await sender.requireBalance(sender.feeOf(step) + (await needs(parts)), label);
  const { signature } = await sender.run(step);
  context.stdout.write(`${done}\n`);
  context.stderr.write(`transaction ${signature}\n`);
  return EXIT.ok;
}

type Parts = ProgramContext & Awaited<ReturnType<typeof openProgram>> & { signer: Hex };

/** A change that the admin signs. */
export function changeByAdmin(
  context: ProgramContext,
  plan: (config: SwapConfig, program: Hex, admin: Hex, parts: Parts) => ConfigChange | Promise<ConfigChange>,
): Promise<number> {
  return carryOut(context, async (parts) => {
    const { cluster, program, signer } = parts;
    const config = await requireConfig(cluster, program);
    if (config.admin !== signer) {
      const admin = base58(config.admin);
      refuse('not_admin', `${base58(signer)} is not the admin of ${base58(program)}: ${admin} is; sign with its key`);
    }
    return plan(config, program, signer, parts);
  });
}

const none = { positionals: [], options: changing } as const;

export const initCommand: ProgramCommand = {
  name: 'program init',
  summary: 'make the config of a fresh deployment',
  about: 'Signed by the upgrade authority, which becomes the admin. Once for each deployment.',
  examples: ['program init --program ADDRESS --keypair deployer.json --fee-owner ADDRESS --max-fee-bps 100'],
  positionals: [],
  options: [...changing, { ...feeOwner, about: `${feeOwner.about}, as without it` }, maxFeeBps],
  run: (context) =>
    carryOut(
      context,
      async ({ cluster, program, signer, args }) => {
        const fee = highestFee(args.options);
        if (fee === undefined) refuse('usage', '--max-fee-bps is missing: the highest fee a route may take, 0 to 1000');
        const { authority } = await requireCode(cluster, program);
        const found = await findConfig(cluster, program);
        if (found) {
          refuse('config_exists', `${base58(program)} has a config already; its admin is ${base58(found.admin)}`);
        }
        if (authority !== signer) {
          const who =
            authority === null ? 'there is none, so nobody can' : `${base58(authority)} is; sign with its key`;
          refuse('not_authority', `${base58(signer)} is not the upgrade authority of ${base58(program)}: ${who}`);
        }
        return {
          label: 'init',
          instruction: initConfig(program, signer, owner(args.options) ?? null, fee as number),
          done: `the config is made; the admin is ${base58(signer)}. Next: tidepool program venue add`,
        };
      },
      ({ cluster }) => cluster.rent(CONFIG_BYTES),
    ),
};

const pausing = (name: 'pause' | 'unpause', summary: string): ProgramCommand => ({
  name: `program ${name}`,
  summary,
  about: 'Signed by the admin. Administration goes on while routes are paused.',
  examples: [`program ${name} --program ADDRESS --keypair admin.json`],
  ...none,
  run: (context) =>
    changeByAdmin(context, (config, program, admin) => {
      const paused = name === 'pause';
      if (config.paused === paused) {
        const words = paused
          ? 'is paused already; tidepool program unpause lets routes run'
          : 'is not paused: routes run';
        refuse('no_change', `${base58(program)} ${words}`);
      }
      const done = paused ? 'paused: routes are refused until tidepool program unpause' : 'routes run again';
      return { label: name, instruction: setPaused(program, admin, paused), done };
    }),
});

export const pauseCommand = pausing('pause', 'refuse all routes');
export const unpauseCommand = pausing('unpause', 'let routes run again');

export const feeCommand: ProgramCommand = {
  name: 'program fee',
  summary: 'change the fee owner or the highest fee',
  about: 'Signed by the admin. What is not named stays as it is.',
  examples: ['program fee --program ADDRESS --keypair admin.json --max-fee-bps 50'],
  positionals: [],
  options: [...changing, feeOwner, maxFeeBps],
  run: (context) =>
    changeByAdmin(context, (config, program, admin) => {
      const { options } = context.args;
      const [wantedOwner, wantedFee] = [owner(options), highestFee(options)];
      if (wantedOwner === undefined && wantedFee === undefined) refuse('usage', 'name --fee-owner or --max-fee-bps');
      const next = wantedOwner === undefined ? config.feeOwner : wantedOwner;
      const fee = wantedFee ?? config.maxFeeBps;
      const whose = next === null ? 'accounts of any owner' : `accounts of ${base58(next)}`;
      const done = `fees: at most ${fee} bps, to ${whose}`;
      return { label: 'fee', instruction: setFee(program, admin, next, fee), done };
    }),
};

export const adminPropose: ProgramCommand = {
  name: 'program admin propose',
  summary: 'propose another admin (first of two steps)',
  about: 'Signed by the admin, who stays it until the proposed one accepts.',
  examples: ['program admin propose ADDRESS --program ADDRESS --keypair admin.json'],
  positionals: [{ name: 'NEXT', required: true, about: 'address of the next admin' }],
  options: changing,
  run: (context) =>
    changeByAdmin(context, (config, program, admin) => {
      const next = address('NEXT', context.args.positionals[0] as string);
      if (/^0+$/.test(next)) refuse('usage', 'NEXT is the zero address; tidepool program admin withdraw withdraws');
      if (next === config.admin) refuse('no_change', `${base58(next)} is the admin already`);
      const done = `${base58(next)} is proposed. Next, with its key: tidepool program admin accept`;
      return { label: 'admin propose', instruction: proposeAdmin(program, admin, next), done };
    }),
};

export const adminWithdraw: ProgramCommand = {
  name: 'program admin withdraw',
  summary: 'withdraw the proposal of another admin',
  about: 'Signed by the admin.',
  examples: ['program admin withdraw --program ADDRESS --keypair admin.json'],
  ...none,
  run: (context) =>
    changeByAdmin(context, (config, program, admin) => {
      if (config.pendingAdmin === null) refuse('no_change', 'no admin is proposed: there is nothing to withdraw');
      const instruction = proposeAdmin(program, admin, null);
      return { label: 'admin withdraw', instruction, done: 'the proposal is withdrawn' };
    }),
};

export const adminAccept: ProgramCommand = {
  name: 'program admin accept',
  summary: 'become the admin (second step)',
  about: 'Signed by the proposed admin.',
  examples: ['program admin accept --program ADDRESS --keypair next-admin.json'],
  ...none,
  run: (context) =>
    carryOut(context, async ({ cluster, program, signer }) => {
      const { pendingAdmin, admin } = await requireConfig(cluster, program);
      if (pendingAdmin === null) {
        refuse('not_proposed', `no admin is proposed; ${base58(admin)} can: tidepool program admin propose`);
      } else if (pendingAdmin !== signer) {
        refuse(
          'not_proposed',
          `${base58(signer)} is not the proposed admin: ${base58(pendingAdmin)} is; sign with its key`,
        );
      }
      const done = `${base58(signer)} is the admin`;
      return { label: 'admin accept', instruction: acceptAdmin(program, signer), done };
    }),
};
