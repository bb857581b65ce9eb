import type { NodeSurvey } from '../../probe/node-survey.js';
import type { ProbeCall, ProbeNode } from '../../probe/probe-node.js';
import { Refusal } from '../../probe/refusal.js';
import { blockOf, blockQuestion, CONFIRMED, type ProbedBlock, slotsOf, transactionsOf } from './solana-questions.js';

/** More of each is no use to a reader. */
const MOST = { range: 500_000, list: 100, accounts: 100 };
/** A gap above so many slots without a block is taken for a part of the chain that the node lacks. */
const MOST_SKIPPED = 1_000;
const SYSTEM = '11111111111111111111111111111111';

export interface SolanaSizes {
  readonly range: number;
  readonly list: number;
}

/** The first slot at or above this one that holds a block. */
export async function blockFrom(survey: NodeSurvey, slot: number): Promise<number> {
  const [found] = slotsOf(await survey.call('getBlocksWithLimit', [slot, 1, CONFIRMED]));
  if (found === undefined) throw new Refusal(`no block from slot ${slot} on`);
  if (found - slot > MOST_SKIPPED) throw new Refusal(`no block from slot ${slot} to ${found}`);
  return found;
}

/** What is asked of a node at one block near the head; the newest version of transactions that it knows. */
export async function solanaCapabilities(survey: NodeSurvey, slot: number): Promise<number> {
  const whole = async (version: number): Promise<ProbedBlock> =>
    blockOf(await survey.call('getBlock', [slot, blockQuestion(version)]), slot);
  const newest = await survey.capability(
    'blocks with transactions of version 1',
    'the newest transactions',
    async () => {
      return `${transactionsOf(await whole(1)).length} transactions`;
    },
  );
  const version = newest ? 1 : 0;
  await survey.capability('blocks with transactions of version 0', 'the history', async () => {
    return `${transactionsOf(await whole(0)).length} transactions`;
  });
  await survey.capability('inner instructions', 'swaps that other programs call', async () =>
    innerInstructions(await whole(version)),
  );
  await survey.capability('finalized commitment', 'the chain’s own finality', async () => {
    return `slot ${await survey.call<number>('getSlot', [{ commitment: 'finalized' }])}`;
  });
  await survey.capability('getMultipleAccounts', 'pools, mints and vaults', async () => {
    await survey.call('getMultipleAccounts', [[SYSTEM], CONFIRMED]);
    return 'answered';
  });
  await survey.capability('getLatestBlockhash', 'the router: transactions that are built', async () => {
    await survey.call('getLatestBlockhash', [CONFIRMED]);
    return 'answered';
  });
  await survey.capability('getRecentPrioritizationFees', 'the router: fees of a swap', async () => {
    await survey.call('getRecentPrioritizationFees', []);
    return 'answered';
  });
  return version;
}

/** Nodes that were restored from elsewhere hold old blocks without them. */
function innerInstructions(block: ProbedBlock) {
  const done = transactionsOf(block).filter(({ meta }) => meta?.err === null);
  const without = done.filter(({ meta }) => !Array.isArray(meta?.innerInstructions)).length;
  const seen =
    without === 0 ? `in all of ${done.length} transactions` : `missing in ${without} of ${done.length} transactions`;
  return { has: without === 0, seen };
}

/** The same where the history begins. */
export async function oldInstructions(survey: NodeSurvey, from: number): Promise<void> {
  await survey.capability('inner instructions of the oldest block', 'swaps of the history', async () =>
    innerInstructions(await anyVersion(survey, await blockFrom(survey, from), 'full')),
  );
}

/** A block of a node that may not know the newest version of transactions. */
async function anyVersion(survey: NodeSurvey, slot: number, details: 'full' | 'none'): Promise<ProbedBlock> {
  const ask = (version: number) => survey.call('getBlock', [slot, blockQuestion(version, details)]);
  try {
    return blockOf(await ask(1), slot);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return blockOf(await ask(0), slot);
  }
}

/** How much of something the node takes in one question. */
export async function solanaLimits(
  survey: NodeSurvey,
  node: ProbeNode,
  from: number,
  at: number,
): Promise<SolanaSizes> {
  const widest = Math.min(MOST.range, at - from + 1);
  const range = await survey.limit('slots in a range of blocks', widest, async (size) =>
    slotsOf(await survey.call('getBlocks', [at - size + 1, at, CONFIRMED])),
  );
  const list = await survey.limit('calls in a list', MOST.list, async (size) => {
    const call: ProbeCall = { method: 'getSlot', params: [CONFIRMED] };
    const { answers } = await node.ask(Array.from({ length: size }, () => call));
    for (const { refusal } of answers) if (refusal !== undefined) throw refusal;
  });
  await survey.limit('accounts in a question', MOST.accounts, (size) =>
    survey.call('getMultipleAccounts', [Array.from({ length: size }, () => SYSTEM), CONFIRMED]),
  );
  return { range, list };
}

/** How far back the node has blocks. */
export async function solanaDepths(survey: NodeSurvey, range: { from: number; head: number }): Promise<void> {
  await survey.depth('blocks', 'to read the history at all', range, async (slot) =>
    anyVersion(survey, await blockFrom(survey, slot), 'none'),
  );
}
