import { createInterface } from 'node:readline/promises';
import type { Readable } from 'node:stream';
import type { Keypair } from '@solana/web3.js';
import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import { TidepoolError } from '#libs/core/errors.js';
import type { Hex } from '#libs/core/ids.js';
import type { ParsedArguments } from '../arguments.js';
import type { CommandIo } from '../command.js';
import { Cluster } from './cluster.js';
import { readKeypair } from './keypair-file.js';
import type { LocalNode } from './local-node.js';
import { address, requiredAddress, text, whole } from './options.js';
import { Sender, sol } from './sender.js';
import { describe, type ProgramStep, type Terms } from './transactions.js';

/** What one command works with: streams, arguments, the node, and who signs. */
export interface ProgramContext extends CommandIo {
  args: ParsedArguments;
  /** The local chain of the instance that runs; null when none does. */
  localNode: () => Promise<LocalNode | null>;
}

export interface Signing {
  sender: Sender;
  /** Prints the steps instead of sending them. */
  dryRun: boolean;
  /** Null in a dry run for another signer. */
  keypair: Keypair | null;
}

const MAX_U64 = 2n ** 64n - 1n;

/** The node of --url, or the local chain of the running instance; with the program where that one tells it. */
export async function openCluster(context: ProgramContext): Promise<{ cluster: Cluster; local: LocalNode | null }> {
  const given = text(context.args.options, 'url');
  if (given !== undefined) return { cluster: new Cluster(given, context.signal), local: null };
  const local = await context.localNode();
  if (local) return { cluster: new Cluster(local.rpcUrl, context.signal), local };
  throw new TidepoolError(
    'usage',
    '--url is missing, and no instance with a local Solana chain runs on the data folder: name an RPC node',
  );
}

export async function openProgram(context: ProgramContext): Promise<{ cluster: Cluster; program: Hex }> {
  const { cluster, local } = await openCluster(context);
  const given = text(context.args.options, 'program');
  if (given === undefined && local?.swapProgram) return { cluster, program: address('program', local.swapProgram) };
  return { cluster, program: requiredAddress(context.args.options, 'program') };
}

export function openSigning(context: ProgramContext, cluster: Cluster): Signing {
  const { options } = context.args;
  const dryRun = options['dry-run'] === true;
  const signer = text(options, 'signer');
  const path = text(options, 'keypair');
  if (signer !== undefined && !dryRun) throw new TidepoolError('usage', '--signer belongs to --dry-run');
  if (signer === undefined && path === undefined) {
    throw new TidepoolError(
      'usage',
      `--keypair is missing${dryRun ? '; --signer ADDRESS is enough for a dry run' : ''}`,
    );
  }
  const keypair = signer === undefined ? keypairOf(context, 'keypair', path as string) : null;
  const payer = keypair ? keypair.publicKey.toBuffer().toString('hex') : address('--signer', signer as string);
  const terms: Terms = { payer, priorityFee: whole(options, 'priority-fee', MAX_U64) ?? 0n };
  return { sender: new Sender(cluster, keypair, terms), dryRun, keypair };
}

export const keypairOf = (context: CommandIo, option: string, path: string): Keypair =>
  readKeypair(`--${option}`, path, (words) => context.stderr.write(`tidepool: ${words}\n`));

export async function printSteps(
  context: CommandIo,
  { sender }: Signing,
  steps: readonly ProgramStep[],
): Promise<void> {
  const { hash } = await sender.cluster.blockhash();
  for (const step of steps) context.stdout.write(`${JSON.stringify(describe(step, sender.terms, hash))}\n`);
}

/** Says what it costs. Asks on a cluster that is not local, unless --yes was given; without a terminal that is needed. */
export async function agree(context: ProgramContext, cluster: Cluster, what: string, cost: bigint): Promise<void> {
  const name = await cluster.name();
  const where = name === 'private' ? cluster.shown : `${name} (${cluster.shown})`;
  context.stderr.write(`${what} on ${where} costs ${sol(cost)}\n`);
  if (name === 'local' || context.args.options.yes === true) return;
  const input = context.stdin as Partial<Readable> & { isTTY?: boolean };
  if (input.isTTY !== true)
    throw new TidepoolError('usage', 'nothing was sent: --yes is needed where nobody can be asked');
  const lines = createInterface({ input: context.stdin as unknown as Readable });
  try {
    context.stderr.write('Go on? [y/N] ');
    const answer = await lines.question('', { signal: context.signal });
    if (!/^y(es)?$/i.test(answer.trim())) throw new TidepoolError('declined', 'nothing was sent');
  } finally {
    lines.close();
  }
}

export const base58 = solanaIds.formatAddress;
