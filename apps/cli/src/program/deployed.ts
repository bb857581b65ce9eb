import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import { TidepoolError } from '#libs/core/errors.js';
import type { Hex } from '#libs/core/ids.js';
import { UPGRADEABLE_LOADER } from '#programs/instruction.js';
import { readLoaderAccount } from '#programs/loader-client.js';
import { configId, programDataId, readSwapConfig, type SwapConfig } from '#programs/swap-client.js';
import type { Cluster } from './cluster.js';

/** What is on chain of a deployment: its code with its upgrade authority, and its config. */
export interface DeployedCode {
  /** Null: the code can never change. */
  authority: Hex | null;
  /** With the zeros of the room behind it. */
  code: Buffer;
  slot: bigint;
}

export async function findCode(cluster: Cluster, program: Hex): Promise<DeployedCode | null> {
  const account = await cluster.account(program);
  if (account?.owner !== UPGRADEABLE_LOADER || readLoaderAccount(account.data)?.kind !== 'program') return null;
  const data = await cluster.account(programDataId(program));
  const found = data?.owner === UPGRADEABLE_LOADER ? readLoaderAccount(data.data) : null;
  return found?.kind === 'program-data' ? found : null;
}

export async function requireCode(cluster: Cluster, program: Hex): Promise<DeployedCode> {
  const found = await findCode(cluster, program);
  if (found) return found;
  throw new TidepoolError(
    'no_program',
    `no upgradeable program is at ${solanaIds.formatAddress(program)} on ${cluster.shown}: check --program and --url, or make one with tidepool program deploy`,
  );
}

/** Null when there is none. One that this version cannot read is an error. */
export async function findConfig(cluster: Cluster, program: Hex): Promise<SwapConfig | null> {
  const account = await cluster.account(configId(program));
  if (account === null || account.owner !== program) return null;
  const config = readSwapConfig(account.data);
  if (config) return config;
  throw new TidepoolError(
    'config_unreadable',
    `the config ${solanaIds.formatAddress(configId(program))} has a form that this version does not know: use the version that the program was deployed with`,
  );
}

export async function requireConfig(cluster: Cluster, program: Hex): Promise<SwapConfig> {
  const config = await findConfig(cluster, program);
  if (config) return config;
  await requireCode(cluster, program);
  throw new TidepoolError(
    'no_config',
    `${solanaIds.formatAddress(program)} has no config: tidepool program init makes it`,
  );
}
