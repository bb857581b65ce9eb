import { ChainBuilder } from '#libs/devkit/chain-builder/chain-builder.js';
import { type FaultRpc, startFaultRpc } from '#libs/devkit/chain-faults/fault-rpc.js';
import type { Capability } from '#libs/devkit/testing/node-fleet/behaviour.js';
import {
  behavioursOf,
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
import type { BlocksGroup } from '#libs/protocol/blocks.js';
import { blocksTopic } from '#libs/protocol/topics.js';
import type { SourceStatus } from './source-status.js';
import { type RunningStage, SourceHarness } from './test/harness.js';
import { expectLog, survivors } from './test/log-checks.js';

/**
 * The source behind fleets of nodes as people rent and run them, drawn from a seed. Where the nodes together can answer, the log
 * is the chain's, for a few times the requests of an honest fleet; where they cannot, the status names what is missing and what
 * was written so far is true. `TIDEPOOL_TEST_SEED=…` repeats one fleet.
 */
const BLOCKS = 150;
const CHAIN_SEED = 23;
const RUNS = testScale < 1 ? 12 : 250;
/** Far above what a run takes on a busy machine: a run that ends late has not been stuck. */
const PATIENCE_MS = 120_000;
const TIMES_HONEST = 3;
/** Samples of history, one block of so many: what an altered amount is found by. */
const SAMPLE_EVERY = 16;

/** How a status speaks of a capability that no node has for some part of the chain. */
const NAMED: Readonly<Record<Capability, RegExp>> = {
  blocks: /\bblocks?\b|history|archive|pruned/i,
  logs: /\blogs?\b|eth_getLogs|receipts/i,
  receipts: /receipts/i,
  state: /\bstate\b|eth_call|\bcalls\b/i,
  slots: /slots?\b|getBlocks/i,
};

let chain: ChainBuilder;
let rpc: FaultRpc;
let honest: HonestNode;
let cost: HonestCost;

beforeAll(async () => {
  chain = new ChainBuilder({ seed: CHAIN_SEED, transactions: [1, 3] });
  chain.mine(BLOCKS);
  rpc = await startFaultRpc({ chain });
  honest = { family: 'evm', url: rpc.url, head: async () => chain.head.number };
  cost = await behind([[]], 1, async ({ running, nodes, groups }) => {
    await reachedHead(running, chain.head.number);
    expectLog(await groups(), chain);
    return { requests: nodes[0]!.requests, calls: nodes[0]!.calls, blocks: chain.head.number };
  });
});
afterAll(() => rpc.close());

interface Run {
  readonly running: RunningStage;
  readonly nodes: readonly FleetNode[];
  groups(): Promise<BlocksGroup[]>;
}

/** Runs the source behind the fleet for as long as the work takes; a failure says which fleet it was. */
async function behind<T>(fleet: Fleet, seed: number, work: (run: Run) => Promise<T>): Promise<T> {
  const harness = await SourceHarness.open();
  const nodes = await Promise.all(fleet.map((node, n) => FleetNode.start(honest, node, seed * 8 + n)));
  const running = harness.start(
    nodes.map(({ url }) => url),
    // As on real chains, less is read at the head than the blocks whose state pruned nodes keep.
    {
      options: {
        ...{ historyThreshold: 20, historyMargin: 10 },
        ...{ rpc: { timeoutMs: 1_500 }, history: { sampleEvery: SAMPLE_EVERY } },
      },
    },
  );
  try {
    return await work({ running, nodes, groups: () => groupsOf(harness) });
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

/** None where every node was refused before the epoch began. */
async function groupsOf(harness: SourceHarness): Promise<BlocksGroup[]> {
  await harness.log.ensureTopics([blocksTopic('eth', 1)]);
  return harness.groups();
}

/** The stage ends on its own only when no node is of this chain: that is a failure here. */
async function reachedHead({ stage, ended }: RunningStage, height: number): Promise<void> {
  let failure: unknown = null;
  ended.catch((error) => {
    failure = error;
  });
  const hash = chain.blockByNumber(height)!.hash.slice(2);
  const look = (): boolean => {
    if (failure !== null) throw failure;
    return stage.status().headHash === hash;
  };
  await until(`block ${height}`, look, { patienceMs: PATIENCE_MS, howFar: () => shortStatus(stage.status()) });
}

const shortStatus = ({ state, head, distrusted, lastError, nodes }: SourceStatus): object => {
  return { state, head, distrusted, lastError, nodes };
};

/** Whether the log is the chain's up to a height. */
function isTrue(groups: readonly BlocksGroup[], to: number): boolean {
  try {
    expectLog(groups, chain, { to });
    return true;
  } catch {
    return false; // it differs: the caller waits for it, or says so
  }
}

/** What has been written is a true beginning of the chain. */
function expectTrueBeginning(groups: readonly BlocksGroup[]): void {
  if (groups.length === 0) return;
  const head = survivors(groups).at(-1)?.height ?? -1;
  if (head >= 0) expectLog(groups, chain, { to: head });
}

/** Whether the status says what no node has. Of nodes that contradict themselves it says that they do, and in what. */
function names({ missing: said, lastError }: SourceStatus, fleet: Fleet, lacks: readonly Capability[]): boolean {
  const text = JSON.stringify([said, proofsOf(fleet).includes('counts') && lastError]);
  return lacks.some((capability) => NAMED[capability].test(text));
}

/** Without those to nodes that never answer: how often they are tried is a matter of time. */
const requestsTo = (nodes: readonly FleetNode[]): number =>
  nodes.reduce((sum, { behaviours, requests }) => sum + (isDeafNode(behaviours) ? 0 : requests), 0);

describe('the source behind fleets of EVM nodes', () => {
  it.each(propertySeeds(RUNS))('seed %i', async (seed) => {
    const fleet = randomFleet('evm', seed);
    const lacks = missing('evm', fleet);
    await behind(fleet, seed, async ({ running, nodes, groups }) => {
      if (isDeaf(fleet)) {
        const allFail = (): boolean => running.stage.status().nodes.every(({ ok }) => !ok);
        await until('every node is said to fail', allFail, { patienceMs: PATIENCE_MS });
        expectTrueBeginning(await groups());
        return;
      }
      if (lacks.length > 0) {
        // What only false answers hide is named or not, as the samples fall.
        const hidden = missing('evm', fleet, true).length === 0;
        const atHead = (): boolean =>
          hidden && running.stage.status().head === Math.floor(newestOf(fleet) * chain.head.number);
        const named = (): boolean => names(running.stage.status(), fleet, lacks) || atHead();
        const howFar = (): object => shortStatus(running.stage.status());
        await until(`the status names ${lacks.join(' or ')}`, named, { patienceMs: PATIENCE_MS, howFar });
        if (!proofsOf(fleet).includes('roots')) expectTrueBeginning(await groups());
        return;
      }
      const head = Math.floor(newestOf(fleet) * chain.head.number);
      await reachedHead(running, head);
      const requests = requestsTo(nodes);
      // What only receipts show may have got past the samples; what was found is retracted.
      if (!proofsOf(fleet).includes('roots')) {
        expectLog(await groups(), chain, { to: head });
        // The chain was never reorganized: what was retracted had been published without proof.
        expect((await groups()).filter(({ kind }) => kind === 'retract')).toEqual([]);
      } else if (proofsOf(fleet).length === 1 && running.stage.status().distrusted > 0) {
        const holds = async (): Promise<boolean> => isTrue(await groups(), head);
        await until('what was false is retracted', holds, { patienceMs: PATIENCE_MS });
      }
      expect(requests).toBeLessThanOrEqual(TIMES_HONEST * requestsFor(fleet, cost));
    });
  });
});

describe('amounts that are altered so that no bloom shows it', () => {
  const ALTERED = 'false: an altered amount';

  it('are found by samples as often as stated, and then retracted', async () => {
    const [alters] = behavioursOf('evm').filter(({ name }) => name === ALTERED);
    const seeds = propertySeeds(testScale < 1 ? 6 : 60, 900);
    let found = 0;
    let expected = 0;
    let variance = 0;
    for (const seed of seeds) {
      const fleet = [[alters!], []];
      await behind(fleet, seed, async ({ running, groups }) => {
        await reachedHead(running, chain.head.number);
        const altered = await alteredBlocks(fleet, seed);
        const chance = 1 - (1 - 1 / SAMPLE_EVERY) ** altered;
        expected += chance;
        variance += chance * (1 - chance);
        if (running.stage.status().distrusted === 0) return;
        found++;
        const holds = async (): Promise<boolean> => isTrue(await groups(), chain.head.number);
        await until('what was false is retracted', holds, { patienceMs: PATIENCE_MS });
      });
    }
    // Four standard deviations below what is expected: once in 30,000 rounds by chance alone.
    expect(found).toBeGreaterThanOrEqual(Math.floor(expected - 4 * Math.sqrt(variance)));
    expect(found).toBeGreaterThan(0);
  });

  /** Blocks of the chain about which such a node gives other logs than the honest one. */
  async function alteredBlocks(fleet: Fleet, seed: number): Promise<number> {
    const node = await FleetNode.start(honest, fleet[0]!, seed * 8);
    try {
      const range = { fromBlock: '0x0', toBlock: `0x${chain.head.number.toString(16)}` };
      const [given, wanted] = await Promise.all([node.url, honest.url].map((url) => logsOf(url, range)));
      const other = new Set<string>();
      for (const [n, log] of given!.entries()) if (log.data !== wanted![n]!.data) other.add(log.blockNumber);
      return other.size;
    } finally {
      await node.close();
    }
  }
});

interface PlainLog {
  readonly data: string;
  readonly blockNumber: string;
}

async function logsOf(url: string, range: object): Promise<PlainLog[]> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params: [range] });
  const answer = await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
  return ((await answer.json()) as { result: PlainLog[] }).result;
}
