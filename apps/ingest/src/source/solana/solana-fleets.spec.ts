import type { Capability } from '#libs/devkit/testing/node-fleet/behaviour.js';
import {
  type Fleet,
  fleetText,
  type HonestCost,
  isDeaf,
  isDeafNode,
  missing,
  newestOf,
  proofsOf,
  randomFleet,
  requestsFor,
} from '#libs/devkit/testing/node-fleet/fleet.js';
import { FleetNode, type HonestNode } from '#libs/devkit/testing/node-fleet/fleet-node.js';
import { propertySeeds, testScale } from '#libs/devkit/testing/seeded-random.js';
import { until } from '#libs/devkit/testing/until.js';
import { survivors } from '../test/log-checks.js';
import { RecordingDecoding } from './test/recording-decoding.js';
import { type RunningSource, SolanaHarness } from './test/solana-harness.js';

/**
 * The source behind fleets of Solana nodes as people rent and run them, drawn from a seed. Where the nodes together can answer,
 * the log is the chain's, for a few times the requests of an honest fleet; where they cannot, what its nodes are said to lack
 * names it. `TIDEPOOL_TEST_SEED=…` repeats one fleet.
 */
const BLOCKS = 80;
const RUNS = testScale < 1 ? 12 : 250;
/** Far above what a run takes on a busy machine: a run that ends late has not been stuck. */
const PATIENCE_MS = 120_000;
const TIMES_HONEST = 3;
/** Slots that are not final: a node can say that they were skipped, in this chain, which does not grow. */
const NEWEST = 12;
const CONFIG = { commitment: 'confirmed', maxSupportedTransactionVersion: 1, rewards: false };

/** How the state of the nodes speaks of a capability that none has for some part of the chain. */
const NAMED: Readonly<Record<Capability, RegExp>> = {
  blocks: /block|history|getBlock\b/i,
  slots: /slots?\b|getBlocks/i,
  logs: /logs/i,
  receipts: /receipts/i,
  state: /state|accounts/i,
};

interface Run {
  readonly running: RunningSource;
  readonly harness: SolanaHarness;
  readonly nodes: readonly FleetNode[];
  /** Newest confirmed slot: the chain does not grow while it is read. */
  readonly tip: number;
  readonly decoding: RecordingDecoding;
}

async function behind<T>(fleet: Fleet, seed: number, work: (run: Run) => Promise<T>): Promise<T> {
  const harness = await SolanaHarness.open({ finalizedDepth: 12, seed: 5 });
  harness.grow(BLOCKS / 2, 2);
  harness.chain.skip(3);
  harness.grow(BLOCKS / 2);
  const tip = await harness.ask<number>('getSlot', { commitment: 'confirmed' });
  const honest: HonestNode = { family: 'solana', url: harness.chain.rpcUrl, head: async () => tip };
  const nodes = await Promise.all(fleet.map((node, n) => FleetNode.start(honest, node, seed * 8 + n)));
  const decoding = new RecordingDecoding();
  const running = harness.start(
    nodes.map(({ url }) => url),
    { ...{ decoding, historyThreshold: 20, historyMargin: 10 }, rpc: { timeoutMs: 1_500, maxCoolDownMs: 200 } },
  );
  try {
    return await work({ running, harness, nodes, tip, decoding });
  } catch (error) {
    const struck = nodes.map(
      ({ requests, struck }, n) => `node ${n + 1}: ${requests} requests ${JSON.stringify(struck)}`,
    );
    const text = [`TIDEPOOL_TEST_SEED=${seed}`, fleetText(fleet), ...struck, (error as Error).message];
    (error as Error).message = text.join('\n');
    throw error;
  } finally {
    await harness.close();
    await Promise.all(nodes.map((node) => node.close()));
  }
}

const said = ({ source, seen, lies }: RunningSource): object => ({ nodes: source.nodes(), seen: seen.slice(-3), lies });

async function reachedHead({ running }: Run, slot: number): Promise<void> {
  const howFar = (): object => ({ head: running.head, ...said(running) });
  await until(`slot ${slot}`, () => running.head === slot, { patienceMs: PATIENCE_MS, howFar });
}

/** The newest slot that holds a block, at or below one. */
async function newestBelow({ harness }: Run, slot: number): Promise<number> {
  const slots = await harness.ask<number[]>('getBlocks', 0, Math.floor(slot), CONFIG);
  return slots.at(-1)!;
}

interface ServedBlock {
  readonly blockhash: string;
  readonly transactions: readonly { meta: { postBalances: number[] }; transaction: { signatures: string[] } }[];
}

/** What survives is the chain's up to its head, transaction by transaction, with their amounts where `amounts` says so. */
async function expectBeginning({ harness, decoding }: Run, amounts: boolean): Promise<void> {
  const groups = await harness.groups();
  if (groups.length === 0) return;
  const blocks = survivors(groups);
  const head = blocks.at(-1)?.height;
  if (head === undefined) return;
  const slots = await harness.ask<number[]>('getBlocks', 0, head, CONFIG);
  const wanted: string[] = [];
  for (const slot of slots) {
    const { transactions } = await harness.ask<ServedBlock>('getBlock', slot, CONFIG);
    const after = transactions.map(({ meta }) => meta.postBalances.join()).join(' ');
    wanted.push(`${slot}: ${transactions.length} ${amounts ? after : ''}`);
  }
  const found = blocks.map(
    ({ height, txs }) => `${height}: ${txs.length} ${amounts ? decoding.amounts.get(height) : ''}`,
  );
  expect(found).toEqual(wanted);
}

/** Without those to nodes that never answer: how often they are tried is a matter of time. */
const requestsTo = (nodes: readonly FleetNode[]): number =>
  nodes.reduce((sum, { behaviours, requests }) => sum + (isDeafNode(behaviours) ? 0 : requests), 0);

describe('the source behind fleets of Solana nodes', () => {
  let cost: HonestCost;
  beforeAll(async () => {
    cost = await behind([[]], 1, async (run) => {
      await reachedHead(run, run.tip);
      await run.harness.expectLog();
      await expectBeginning(run, true);
      return { requests: run.nodes[0]!.requests, calls: run.nodes[0]!.calls, blocks: run.tip };
    });
  });

  it.each(propertySeeds(RUNS, 5_000))('seed %i', async (seed) => {
    const fleet = randomFleet('solana', seed);
    const lacks = missing('solana', fleet);
    await behind(fleet, seed, async (run) => {
      const { running, nodes } = run;
      if (isDeaf(fleet)) {
        const allFail = (): boolean => running.source.nodes().every(({ ok }) => !ok);
        await until('every node is said to fail', allFail, { patienceMs: PATIENCE_MS });
        return;
      }
      const onlyPeersTell = proofsOf(fleet).includes('peers');
      if (lacks.length > 0) {
        // What only false answers hide is found where another node has the same blocks, and not elsewhere; what lists leave
        // out is found by the parents of blocks. Newest blocks that are said to be skipped show with the next one.
        const hidden = missing('solana', fleet, true).every((capability) => capability === 'slots');
        const skips = fleet.flat().some(({ name }) => name === 'false: blocks said to be skipped');
        const atHead = (): boolean =>
          (hidden || skips) && running.head >= Math.floor(newestOf(fleet) * run.tip) - NEWEST;
        const words = (): string => JSON.stringify(said(running));
        const named = (): boolean => lacks.some((capability) => NAMED[capability].test(words())) || atHead();
        const howFar = (): object => ({ head: running.head, ...said(running) });
        await until(`it is said that ${lacks.join(' or ')} are missing`, named, { patienceMs: PATIENCE_MS, howFar });
        if (!onlyPeersTell) await expectBeginning(run, true);
        return;
      }
      const share = newestOf(fleet);
      await reachedHead(run, share === 1 ? run.tip : await newestBelow(run, share * run.tip));
      const requests = requestsTo(nodes);
      // Signatures do not show amounts: where nothing moves again, samples do, by the chance that `liars.spec` asks for.
      const alters = fleet.flat().some(({ name }) => name === 'false: an altered amount');
      await expectBeginning(run, !alters);
      expect(requests).toBeLessThanOrEqual(TIMES_HONEST * requestsFor(fleet, cost));
    });
  });
});
