import type { ChainPlan } from '#libs/app/operations/upgrade/upgrade-plan.js';
import { chainSpec } from '#libs/chain/catalogue/catalogue.js';
import { ownReference } from '#libs/chain/catalogue/own-reference.js';
import { TidepoolError } from '#libs/core/errors.js';
import type { OwnVersion } from '#libs/pipeline/epochs/next-epoch.js';
import { foldVersion } from '#libs/pipeline/fold/fold-version.js';
import { derivedTables } from '#libs/pipeline/projections/registry.js';
import { seqTables } from '#libs/pipeline/store/market/journals.js';
import type { CommandContext } from '../command.js';
import { oldestServed, type ServedHistory } from './oldest-served.js';

/** How far back nodes reach, where another epoch has to be read from them. */
export interface NodeReach extends ServedHistory {
  /** Where the epoch would have to begin; null where nothing has to be cut off, or it is not known. */
  cut: number | null;
}

/** Nodes that drop their past continue to: the cut is this share of what they hold above its beginning. */
const MARGIN = 0.02;

/** The plan of all configured chains, or of one, for the program that asks; nodes are asked where they are needed. */
export async function askPlan(
  { execute, config }: CommandContext,
  only: string | null,
): Promise<(ChainPlan & { nodes: NodeReach | null })[]> {
  const configured = config().chains;
  const asked = configured.filter(({ slug }) => only === null || slug === only);
  if (asked.length === 0) {
    const known = configured.map(({ slug }) => slug).join(', ');
    throw new TidepoolError('usage', `${JSON.stringify(only)} is not indexed here: use ${known}`);
  }
  const tables = [...seqTables, ...derivedTables.map(({ name }) => name)];
  const chains: Record<string, OwnVersion> = {};
  for (const { slug, startHeight } of asked) {
    chains[slug] = { ...ownReference(chainSpec(slug)!), foldVersion, startHeight };
  }
  const answer = (await execute('upgrade.plan', { chains, tables }).catch(explain)) as { chains: ChainPlan[] };
  const planned: (ChainPlan & { nodes: NodeReach | null })[] = [];
  for (const plan of answer.chains) {
    const needsNodes = plan.served !== null && plan.steps.some(({ kind }) => kind === 'epoch');
    if (!needsNodes) {
      planned.push({ ...plan, nodes: null });
      continue;
    }
    const { rpcUrls } = asked.find(({ slug }) => slug === plan.chain)!;
    const urls = rpcUrls.length > 0 ? rpcUrls : await localNode(plan.chain, execute);
    const wanted = plan.steps.find(({ kind }) => kind === 'epoch')!.wishedStart;
    const reach = await oldestServed(chainSpec(plan.chain)!, urls, wanted);
    planned.push({ ...plan, nodes: { ...reach, cut: cutOf(reach, wanted, plan.served!.height) } });
  }
  return planned;
}

function cutOf({ oldest }: ServedHistory, wanted: number, head: number): number | null {
  if (oldest === null || oldest <= wanted) return null;
  return Math.min(oldest + Math.ceil(Math.max(0, head - oldest) * MARGIN), Math.max(head, oldest));
}

/** A chain that the running instance has on this machine. */
async function localNode(chain: string, execute: CommandContext['execute']): Promise<string[]> {
  const { localNodes = {} } = (await execute('status', {})) as { localNodes?: Record<string, { rpcUrl: string }> };
  const local = localNodes[chain];
  return local === undefined ? [] : [local.rpcUrl];
}

function explain(error: unknown): never {
  if (error instanceof TidepoolError && error.code === 'unknown_operation') {
    throw new TidepoolError(
      'old_instance',
      'the instance that runs is of a version that cannot be asked for a plan: stop it, then ask again',
    );
  }
  throw error;
}
