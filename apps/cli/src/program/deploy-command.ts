import type { Keypair } from '@solana/web3.js';
import { TidepoolError } from '#libs/core/errors.js';
import { EXIT } from '#libs/platform/exit-code.js';
import { deployBuffer, PROGRAM_BYTES, PROGRAM_DATA_HEAD } from '#programs/loader-client.js';
import { withProgress } from '../answer.js';
import { type MadeAccount, makeAccount, ownAccount, seededAccount, signersOf } from './accounts.js';
import type { Cluster } from './cluster.js';
import { CodeBuffer } from './code-buffer.js';
import { type DeployedCode, findCode } from './deployed.js';
import { executableOf } from './executable-file.js';
import { file, json, sending, text, whole, yes } from './options.js';
import { lines, type ProgramCommand } from './program-command.js';
import { sol } from './sender.js';
import {
  agree,
  base58,
  keypairOf,
  openCluster,
  openSigning,
  type ProgramContext,
  printSteps,
  type Signing,
} from './session.js';
import type { ProgramStep } from './transactions.js';

/** The loader's own limit of an account's data. */
const MOST_BYTES = 10n * 1024n * 1024n - 45n;
export const LOADER_UNITS = 20_000;

/** Work on a buffer can be given up at any point: the same command continues with it. */
export async function fillBuffer(context: ProgramContext, buffer: CodeBuffer): Promise<void> {
  await withProgress(context, async (show) => {
    try {
      await buffer.fill(show);
    } catch (error) {
      if (context.signal.aborted) context.stderr.write('\nthe same command goes on from here\n');
      throw error;
    }
  });
}

/** A program can be called from the slot after the one that its code landed in. */
export async function afterSlot(cluster: Cluster, slot: number): Promise<void> {
  while ((await cluster.slot()) <= slot) await cluster.pause(250);
}

/** True when the code is there already; another program in its place is an error. */
function isThere(place: MadeAccount, found: DeployedCode | null, code: Buffer, payer: string): boolean {
  if (!found) return false;
  const same =
    found.code.subarray(0, code.length).equals(code) && found.code.subarray(code.length).every((b) => b === 0);
  if (same && found.authority === payer) return true;
  throw new TidepoolError(
    'program_exists',
    `another program is at ${base58(place.id)} already: tidepool program upgrade --program ${base58(place.id)} replaces its code, --program-keypair FILE deploys at an address of its own`,
  );
}

function tell(context: ProgramContext, place: MadeAccount, signing: Signing, spent: bigint | null): void {
  const program = base58(place.id);
  const authority = base58(signing.sender.terms.payer);
  if (context.args.options.json) {
    const cost = spent === null ? null : spent.toString();
    context.stdout.write(`${JSON.stringify({ program, upgradeAuthority: authority, costLamports: cost }, null, 2)}\n`);
    return;
  }
  context.stdout.write(
    lines([
      ['program', program],
      ['upgrade authority', authority],
      ['cost', spent === null ? 'nothing, it was deployed already' : sol(spent)],
      ['next', `tidepool program init --program ${program}`],
    ]),
  );
}

async function run(context: ProgramContext): Promise<number> {
  const { options } = context.args;
  const { cluster } = await openCluster(context);
  const signing = openSigning(context, cluster);
  const { sender } = signing;
  const { payer } = sender.terms;
  const code = executableOf(options);
  const room = Number(whole(options, 'max-length', MOST_BYTES) ?? BigInt(code.length));
  if (room < code.length)
    throw new TidepoolError('usage', `--max-length must be at least the code's ${code.length} bytes`);
  const ownPath = text(options, 'program-keypair');
  const own: Keypair | null = ownPath === undefined ? null : keypairOf(context, 'program-keypair', ownPath);
  const place = own ? ownAccount(own) : seededAccount(payer, 'tidepool-swap');
  if (isThere(place, await findCode(cluster, place.id), code, payer)) {
    if (!signing.dryRun) tell(context, place, signing, null);
    else context.stderr.write(`${base58(place.id)} is deployed already\n`);
    return EXIT.ok;
  }

  const buffer = new CodeBuffer(sender, code);
  const { held, make, writes } = await buffer.plan();
  const waiting = (await cluster.account(place.id))?.lamports ?? 0n;
  const ofProgram = await cluster.rent(PROGRAM_BYTES);
  const ofData = await cluster.rent(PROGRAM_DATA_HEAD + room);
  const lamports = ofProgram > waiting ? ofProgram - waiting : 0n;
  const places = { payer, buffer: buffer.made.id, program: place.id, authority: payer };
  const deploy: ProgramStep = {
    label: 'deploy',
    instructions: [...makeAccount(payer, place, PROGRAM_BYTES, lamports), deployBuffer(places, room)],
    units: LOADER_UNITS,
    signers: signersOf(place),
  };
  const steps = [...(make ? [make] : []), ...writes, deploy];
  if (signing.dryRun) {
    await printSteps(context, signing, steps);
    return EXIT.ok;
  }
  // The buffer's coins pay for the program's data.
  const fees = steps.reduce((sum, step) => sum + sender.feeOf(step), 0n);
  const cost = lamports + ofData + fees - held;
  await agree(context, cluster, `deploying ${code.length} bytes`, cost);
  if (held > 0n && !make) context.stderr.write(`going on with the buffer ${base58(buffer.made.id)}\n`);
  const before = await cluster.balance(payer);
  await sender.requireBalance(cost, 'deploying');
  await fillBuffer(context, buffer);
  const { slot } = await sender.run(deploy);
  await afterSlot(cluster, slot);
  tell(context, place, signing, before - (await cluster.balance(payer)));
  return EXIT.ok;
}

export const deployCommand: ProgramCommand = {
  name: 'program deploy',
  summary: 'put the swap program on chain',
  about:
    'Writes the program into a buffer and deploys it through the upgradeable loader. The key of --keypair pays and becomes the\n' +
    'upgrade authority. The address follows from that key; --program-keypair gives it another. What an interruption left is\n' +
    'found again by the same command. The cost is shown first; on a cluster that is not local it asks, unless --yes is given.',
  examples: [
    'program deploy --keypair deployer.json',
    'program deploy --url https://api.devnet.solana.com --keypair deployer.json --priority-fee 10000 --yes',
  ],
  positionals: [],
  options: [
    ...sending,
    { name: 'program-keypair', value: 'FILE', about: 'key whose address the program gets' },
    { name: 'max-length', value: 'BYTES', about: 'room for the code of later upgrades; its own length without it' },
    file,
    yes,
    json,
  ],
  run,
};
