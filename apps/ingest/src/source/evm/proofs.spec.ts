import { eth } from '#libs/chain/catalogue/test/chain-specs.js';
import { headerHash } from '#libs/devkit/chain-builder/block-hash.js';
import { ChainBuilder } from '#libs/devkit/chain-builder/chain-builder.js';
import type { Behaviour, Json, Request } from '#libs/devkit/testing/node-fleet/behaviour.js';
import { blocksOf } from '#libs/devkit/testing/node-fleet/blocks-of-call.js';
import { alterAmount, falseLogs } from '#libs/devkit/testing/node-fleet/false-logs.js';
import { FleetNode } from '#libs/devkit/testing/node-fleet/fleet-node.js';
import { stuckAt } from '#libs/devkit/testing/node-fleet/heads.js';
import { until } from '#libs/devkit/testing/until.js';
import { caughtUp, type RunningStage, SourceHarness, seed } from '../test/harness.js';
import { expectLog } from '../test/log-checks.js';

/**
 * Each proof by itself: a node whose false answers that one proof alone can show. Samples are of no block, or of every one, so
 * that nothing is found by chance.
 */
const BLOCKS = 140;
const RANGE = 20;
/** Once it is caught, a node is not asked again within a test; none is called stale. */
const LONG_MS = 600_000;

let harness: SourceHarness;
let chain: ChainBuilder;
const nodes: FleetNode[] = [];

beforeEach(async () => {
  harness = await SourceHarness.open();
  chain = new ChainBuilder({ seed, transactions: [1, 4] });
  chain.mine(BLOCKS);
});
afterEach(async () => {
  await harness.close();
  await Promise.all(nodes.splice(0).map((node) => node.close()));
});

const NAME = 'false';

async function nodeWith(rule: Behaviour['rule']): Promise<FleetNode> {
  const { url } = await harness.serve(chain);
  const honest = { family: 'evm' as const, url, head: async () => chain.head.number };
  const node = await FleetNode.start(honest, [{ name: NAME, family: 'evm', rule }], seed);
  nodes.push(node);
  return node;
}

/** Reads the history by ranges of one size. */
function start(urls: string[], sampleEvery = 0, parallel = 6): RunningStage {
  const history = { way: 'ranges', sampleEvery, parallel, firstRange: RANGE, maxRange: RANGE } as const;
  const [rpc, watch] = [{ coolDownMs: LONG_MS, maxCoolDownMs: LONG_MS }, { staleMs: LONG_MS }];
  return harness.start(urls, { options: { history, rpc, watch } });
}

/** What is written is the chain, although the node's answers were false. */
async function expectTruth(node: FleetNode, urls: string[] = [], sampleEvery = 0): Promise<RunningStage> {
  const running = start([node.url, ...urls], sampleEvery);
  await caughtUp(harness, running, chain);
  expectLog(await harness.groups(), chain);
  expect(node.struck[NAME] ?? 0).toBeGreaterThan(0);
  return running;
}

const honestUrl = async (): Promise<string> => (await harness.serve(chain)).url;

const itemsOf = ({ address, topics }: Json): string[] => [address, ...topics];

/** Whether each address and topic of a log is in another one too, so that the bloom is the same without it. */
function isCovered(logs: readonly Json[], at: number): boolean {
  const others = new Set(logs.flatMap((log, n) => (n === at ? [] : itemsOf(log))));
  return itemsOf(logs[at]).every((item) => others.has(item));
}

/** A header of another time: neither its bloom nor its links nor its receipts are touched. */
const otherTime =
  (isFalse: (height: number) => boolean): Behaviour['rule'] =>
  (node) => ({
    onResult: ({ method }, block) => {
      if (!/^eth_getBlockBy/.test(method) || block === null || !isFalse(Number(block.number))) return block;
      node.struck();
      return { ...block, timestamp: `0x${(Number(block.timestamp) + 1).toString(16)}` };
    },
  });

/** Other amounts in logs of ranges: no bloom shows them. */
const otherAmounts = falseLogs(1, alterAmount);

/** Amounts that samples alone show, until a header contradicts itself. */
const otherAmountsAndTime =
  (isFalse: (height: number) => boolean): Behaviour['rule'] =>
  (node) => {
    const [amounts, time] = [otherAmounts(node), otherTime(isFalse)(node)];
    return {
      onResult: async (call, result, request) =>
        time.onResult!(call, await amounts.onResult!(call, result, request), request),
    };
  };

/** Blocks by their heights that are siblings of the chain's: with a hash of their own, which header and logs agree on. */
const siblingsAt =
  (...heights: number[]): Behaviour['rule'] =>
  (node) => {
    const isSibling = (height: string): boolean => /^0x/.test(height) && heights.includes(Number(height));
    const sibling = (block: Json): Json => {
      const { hash: _, transactions, ...header } = { ...block, extraData: '0x5b' };
      const hash = `0x${headerHash(header)}`;
      const own = transactions.map((entry: Json) =>
        typeof entry === 'string' ? entry : { ...entry, blockHash: hash },
      );
      return { ...header, hash, transactions: own };
    };
    const hashAt = async (height: string): Promise<string> => {
      const answer = await node.ask('eth_getBlockByNumber', [height, false]);
      return sibling('result' in answer ? answer.result : null).hash;
    };
    return {
      onResult: async ({ method, params }, result) => {
        if (method === 'eth_getBlockByNumber' && isSibling(params[0])) {
          node.struck();
          return sibling(result);
        }
        if (method !== 'eth_getLogs') return result;
        return Promise.all(
          result.map(async (log: Json) =>
            isSibling(log.blockNumber) ? { ...log, blockHash: await hashAt(log.blockNumber) } : log,
          ),
        );
      },
    };
  };

const asksForTip = ({ calls }: Request): boolean => calls.some(({ params }) => params[0] === 'latest');

/**
 * A balancer that tells the newest head, while the machine that answers the rest has half of the chain: until it has said so
 * often enough, after blocks that it did not have.
 */
const behindAtFirst =
  (times: number): Behaviour['rule'] =>
  (node) => {
    const behind = stuckAt(0.5)(node);
    let [lacked, told] = [false, 0];
    return {
      ...behind,
      onRequest: (request) => {
        if (told === times || asksForTip(request)) return null;
        if (lacked && request.calls.some(({ method }) => method === 'eth_blockNumber')) told++;
        return behind.onRequest!(request);
      },
      onCall: async (call, request) => {
        const answer = await behind.onCall!(call, request);
        if (answer !== null) lacked = true;
        return answer;
      },
    };
  };

/**
 * A machine that has half of the chain, and comes to a block in the moment after it was asked for its logs, or after it has
 * said often enough that it does not have it.
 */
const arrivesAfterLogs =
  (times: number): Behaviour['rule'] =>
  (node) => {
    const behind = stuckAt(0.5)(node);
    let [newest, told] = [0, 0];
    return {
      ...behind,
      onRequest: async (request) => {
        if (asksForTip(request)) return null;
        await behind.onRequest!(request);
        request.lag = Math.min(request.lag, (await node.head()) - newest);
        return null;
      },
      onCall: async (call, request) => {
        const answer = await behind.onCall!(call, request);
        const span = await blocksOf(call, node);
        if (span === null) return answer;
        if (answer !== null) told++;
        if (told >= times || call.method === 'eth_getLogs') newest = Math.max(newest, span.to);
        return answer;
      },
    };
  };

describe(`the proofs of an EVM history, each by itself (seed ${seed})`, () => {
  it('numbers of logs: one is left out that the bloom does not show', async () => {
    const node = await nodeWith(
      falseLogs(1, (logs) => {
        const victim = logs.findIndex((_, n) => n < logs.length - 1 && isCovered(logs, n));
        return victim < 0 ? logs : logs.filter((_, n) => n !== victim);
      }),
    );
    const { stage } = await expectTruth(node);
    expect(stage.status().gaps).toBeGreaterThan(0);
  });

  it('bloom: the last logs are left out, so that the others are numbered without a gap', async () => {
    const node = await nodeWith(
      falseLogs(0.5, (logs) => (isCovered(logs, logs.length - 1) ? logs : logs.slice(0, -1))),
    );
    const { stage } = await expectTruth(node);
    expect(stage.status().gaps).toBeGreaterThan(0);
  });

  it('hash of a header: its time is another', async () => {
    const { stage } = await expectTruth(await nodeWith(otherTime((height) => height % 7 === 3)), [await honestUrl()]);
    expect(stage.status().distrusted).toBeGreaterThan(0);
  });

  it('link to the parent: a block in a range is a sibling of the chain’s', async () => {
    const { stage } = await expectTruth(await nodeWith(siblingsAt(10, 30, 50, 70, 90)), [await honestUrl()]);
    expect(stage.status().distrusted).toBeGreaterThan(0);
  });

  it('link to the published block: the last block of a range is a sibling of the chain’s', async () => {
    await expectTruth(await nodeWith(siblingsAt(19, 39, 59, 79, 99)), [await honestUrl()]);
  });

  it('last block of a range: a machine that does not have it yet is waited for, and lacks nothing', async () => {
    const node = await nodeWith(behindAtFirst(3));
    const { stage } = start([node.url], 0, 1);
    const named = new Set<string>();
    await until('the head', () => {
      for (const lack of stage.status().missing) named.add(lack);
      return stage.status().head === chain.head.number;
    });
    expectLog(await harness.groups(), chain);
    expect([...named]).toEqual([]);
    expect(node.struck[NAME] ?? 0).toBeGreaterThan(0);
  });

  it('last block before the logs, where no header counts them: a machine comes to it after it was asked for its logs', async () => {
    const node = await nodeWith(arrivesAfterLogs(3));
    const history = { way: 'ranges', sampleEvery: 0, parallel: 1, firstRange: RANGE, maxRange: RANGE } as const;
    const running = harness.start([node.url], {
      chain: { ...eth, evm: { ...eth.evm!, proves: ['header hashes'] } },
      options: { history, watch: { staleMs: LONG_MS } },
    });
    await caughtUp(harness, running, chain);
    expectLog(await harness.groups(), chain);
    expect(node.struck[NAME] ?? 0).toBeGreaterThan(0);
  });

  it('bloom, where it is always empty: logs of named contracts are not asked for, as nothing would show the others', async () => {
    let named = 0;
    const node = await nodeWith((view) => ({
      onCall: ({ method, params }) => {
        if (method === 'eth_getLogs' && params[0].address !== undefined) named++;
        if (method === 'eth_getBlockReceipts') return { error: { code: -32601, message: 'method not found' } };
        if (method !== 'eth_getLogs' || params[0].address !== undefined) return null;
        view.struck();
        return { error: { code: -32701, message: 'Please specify an address in your request' } };
      },
      onResult: ({ method }, block) =>
        /^eth_getBlockBy/.test(method) && block !== null ? { ...block, logsBloom: `0x${'00'.repeat(256)}` } : block,
    }));
    const history = { firstRange: RANGE, maxRange: RANGE, sampleEvery: 0 };
    const running = harness.start([node.url], {
      chain: { ...eth, evm: { ...eth.evm!, proves: [] } },
      options: { history },
    });
    await caughtUp(harness, running, chain);
    expectLog(await harness.groups(), chain);
    expect(node.struck[NAME] ?? 0).toBeGreaterThan(0);
    expect(named).toBe(0);
  });

  it('samples: amounts are others, in logs that are numbered and make the bloom', async () => {
    const { stage } = await expectTruth(await nodeWith(otherAmounts), [await honestUrl()], 1);
    expect(stage.status().distrusted).toBeGreaterThan(0);
  });

  it('bloom of one block: the last logs are left out where no node gives receipts', async () => {
    const withoutReceipts: Behaviour['rule'] = () => ({
      onCall: ({ method }) =>
        /Receipt/.test(method) ? { error: { code: -32601, message: `the method ${method} does not exist` } } : null,
    });
    const node = await nodeWith((view) => ({
      ...withoutReceipts(view),
      onResult: ({ method, params }, logs) => {
        if (method !== 'eth_getLogs' || params[0].blockHash === undefined) return logs;
        if (logs.length === 0 || isCovered(logs, logs.length - 1)) return logs;
        view.struck();
        return logs.slice(0, -1);
      },
    }));
    const history = { way: 'ranges', sampleEvery: 0, firstRange: RANGE, maxRange: RANGE } as const;
    const running = harness.start([node.url, (await nodeWith(withoutReceipts)).url], { options: { history } });
    await caughtUp(harness, running, chain);
    for (let n = 0; n < 10; n++) {
      chain.mine(1);
      await caughtUp(harness, running, chain);
    }
    expectLog(await harness.groups(), chain);
    expect(node.struck[NAME] ?? 0).toBeGreaterThan(0);
  });

  it('holding back: what a caught node gave ahead is not published', async () => {
    const node = await nodeWith(otherAmountsAndTime((height) => height === 5));
    const running = start([node.url, await honestUrl()]);
    await caughtUp(harness, running, chain);
    const groups = await harness.groups();
    expectLog(groups, chain);
    expect(groups.filter(({ kind }) => kind === 'retract')).toEqual([]);
    expect(running.stage.status().rpcErrors).toBeGreaterThan(0);
  });

  it('reading again: what was published before the node was caught is retracted', async () => {
    const before = chain.head.number;
    const node = await nodeWith(otherAmountsAndTime((height) => height > before));
    const running = start([node.url, await honestUrl()]);
    await caughtUp(harness, running, chain);
    const groups = await harness.groups();
    expect(() => expectLog(groups, chain)).toThrow();
    chain.mine(1);
    const isRetracted = async (): Promise<boolean> => (await harness.groups()).some(({ kind }) => kind === 'retract');
    await until('what was false is retracted', isRetracted, { everyMs: 50, howFar: () => running.stage.status() });
    await caughtUp(harness, running, chain);
    expectLog(await harness.groups(), chain);
    expect(running.stage.status().distrusted).toBeGreaterThan(0);
  });
});
