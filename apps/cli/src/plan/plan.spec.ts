import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ChainBuilder } from '#libs/devkit/chain-builder/chain-builder.js';
import { type FaultRpc, type FaultSettings, startFaultRpc } from '#libs/devkit/chain-faults/fault-rpc.js';
import { type LocalSolana, startLocalSolana } from '#libs/devkit/devnet/solana/local-solana.js';
import { removeFolderSync } from '#libs/devkit/testing/remove-folder.js';
import { tidepool } from '../test/cli-folder.js';
import type { NodePlan } from './make-plan.js';
import { LimitedNode, type PlanLimits } from './test/limited-node.js';

const folder = mkdtempSync(join(tmpdir(), 'tidepool-plan-'));
afterAll(() => removeFolderSync(folder));

/** As the shell would run it; no instance is asked. These chains are short: it ends when all of one was read, long before. */
const plan = (...argv: string[]) => tidepool(join(folder, 'none'), 'plan', '--seconds', '600', ...argv);

async function planned(...argv: string[]): Promise<NodePlan> {
  const ran = await plan(...argv, '--json');
  expect(ran.err).not.toContain('tidepool:');
  return JSON.parse(ran.out) as NodePlan;
}

const has = ({ capabilities }: NodePlan, name: string) => capabilities.find((each) => each.name === name)?.has;
const limit = ({ limits }: NodePlan, name: string) => limits.find((each) => each.name === name);
const oldest = ({ depths }: NodePlan, name: string) => depths.find((each) => each.name === name)?.oldest;
const way = ({ ways }: NodePlan, name: string) => ways.find((each) => each.name === name)!;

describe('the plan of an EVM node', () => {
  const BLOCKS = 160;
  const chain = new ChainBuilder({ seed: 11, transactions: [1, 6] });
  let node: FaultRpc;
  let proxies: LimitedNode[] = [];
  beforeAll(async () => {
    chain.mine(BLOCKS);
    node = await startFaultRpc({ chain });
  });
  afterEach(async () => {
    await Promise.all(proxies.map((proxy) => proxy.close()));
    proxies = [];
  });
  afterAll(() => node.close());

  const head = (): number => chain.head.number;
  const behind = async (limits: PlanLimits): Promise<LimitedNode> => {
    const proxy = await LimitedNode.before(node.url, limits);
    proxies.push(proxy);
    return proxy;
  };
  const of = (url: string, ...more: string[]) => planned('--rpc', url, '--chain', 'eth', '--from', '1', ...more);

  it('says what the history takes in each way, exactly where all of it was read', async () => {
    const made = await of(node.url, '--ws', node.wsUrl, '--price', 'requests=1000,gb=1');
    expect(made).toMatchObject({ chain: 'eth', from: 1, head: head(), headSpread: 0, wishedFrom: 1 });
    expect(made.ways.map(({ name, refused }) => [name, refused]).sort()).toEqual([
      ...[
        ['addresses', null],
        ['ranges', null],
        ['receipts', null],
        ['topics', null],
      ],
    ]);
    const upTo = head() - 4;
    const read = chain.canonicalBlocks().filter(({ number }) => number >= 1 && number <= upTo);
    const { events } = way(made, 'topics');
    expect(events).toBeGreaterThan(BLOCKS);
    for (const { name, heightsRead, events: found, calls, bytes, seconds, bill, needs } of made.ways) {
      expect([name, heightsRead]).toEqual([name, read.length]);
      if (name !== 'addresses') expect([name, found]).toEqual([name, events]);
      expect(calls.eth_getBlockByNumber).toBe(read.length);
      expect(Math.min(bytes, seconds, needs.diskBytes, needs.memoryBytes)).toBeGreaterThan(0);
      const all = Object.values(calls).reduce((sum, count) => sum + count, 0);
      expect(bill.calls).toBe(all);
      expect(bill.usd).toBeCloseTo(all / 1000 + bytes / 1e9, 6);
    }
    expect(way(made, 'receipts').calls.eth_getBlockReceipts).toBe(read.length);
    expect(has(made, 'heads over a socket')).toBe(true);
    expect(has(made, 'logs and receipts agree')).toBe(true);
    expect(limit(made, 'calls in a list')).toMatchObject({ size: 200, refused: null });
    for (const name of ['blocks', 'logs', 'receipts', 'state']) expect([name, oldest(made, name)]).toEqual([name, 1]);
    // This node has none of these, and everything else.
    const missing = made.lacks.map((lack) => lack.split(':')[0]).sort();
    expect(missing).toEqual(['eth_call with changed state', 'eth_estimateGas', 'eth_feeHistory', 'eth_simulateV1']);
  });

  it('finds the limits of a plan by trying, whatever its words are', async () => {
    const proxy = await behind({ list: 7, range: 50, addresses: 23, missing: ['eth_getBlockReceipts'] });
    const made = await of(proxy.url);
    expect(limit(made, 'calls in a list')).toMatchObject({ size: 7, refused: { size: 8 } });
    expect(limit(made, 'blocks in a range of logs')).toMatchObject({ size: 50, refused: { size: 51 } });
    expect(limit(made, 'addresses in a filter')).toMatchObject({ size: 23, refused: { size: 24 } });
    expect(has(made, 'eth_getBlockReceipts')).toBe(false);
    expect(way(made, 'receipts').refused).toBe('diese Frage wird hier nicht beantwortet');
    expect([way(made, 'topics').refused, way(made, 'ranges').refused]).toEqual([null, null]);
    for (const { refused, heightsPerQuestion } of made.ways)
      if (!refused) expect(heightsPerQuestion).toBeLessThanOrEqual(50);
    expect(made.lacks.join('\n')).toMatch(/calls in a list: 7 at most, 8 .* pas plus de quelques appels/);
  });

  it('shows another way where logs are given of named contracts only', async () => {
    const proxy = await behind({ wantsAddress: true });
    const made = await of(proxy.url);
    expect(has(made, 'logs without an address')).toBe(false);
    expect([way(made, 'ranges').refused, way(made, 'topics').refused]).toEqual([
      'indique un contrat',
      'indique un contrat',
    ]);
    expect([way(made, 'receipts').refused, way(made, 'addresses').refused]).toEqual([null, null]);
    expect(['receipts', 'addresses']).toContain(made.best);
  });

  it('says how far back each thing goes, also where a node only says nothing', async () => {
    const pruned = await startFaultRpc({ chain, faults: { oldestBlock: 60, stateDepth: 40 } });
    try {
      const made = await of(pruned.url);
      expect(made).toMatchObject({ wishedFrom: 1, from: 60 });
      expect([oldest(made, 'blocks'), oldest(made, 'logs'), oldest(made, 'receipts')]).toEqual([60, 60, 60]);
      expect(oldest(made, 'state')).toBeGreaterThan(head() - 60);
      expect(made.lacks.join('\n')).toMatch(/blocks from 60 on only/);
      expect(way(made, 'receipts').heightsRead).toBeLessThanOrEqual(head() - 60 + 1);
    } finally {
      await pruned.close();
    }
    const silent = await behind({ silentBelow: 90 });
    const found = oldest(await of(silent.url), 'logs')!;
    const logs = chain.canonicalBlocks().filter(({ number, logs: own }) => number < 90 && own.length > 0);
    expect(found).toBeGreaterThan(logs.at(-1)!.number);
    expect(found).toBeLessThanOrEqual(90);
  });

  it('goes on behind a node that is asked too often', async () => {
    const proxy = await behind({ tooOftenEvery: 9 });
    const made = await of(proxy.url, '--ways', 'topics');
    expect(made.ways.map(({ name, refused }) => [name, refused])).toEqual([['topics', null]]);
    expect(limit(made, 'calls in a list')).toMatchObject({ refused: null });
  });

  it('finds a node that leaves out logs, and one that names several heads', async () => {
    const wrong = async (faults: Partial<FaultSettings>): Promise<NodePlan> => {
      const rpc = await startFaultRpc({ chain, faults });
      try {
        return await of(rpc.url, '--ways', 'topics');
      } finally {
        await rpc.close();
      }
    };
    expect(has(await wrong({ dropLogRate: 1 }), 'logs and receipts agree')).toBe(false);
    const spread = await wrong({ headDownRate: 0.5, headDownBlocks: 9 });
    expect(spread.headSpread).toBe(9);
    expect(spread.lacks.join('\n')).toMatch(/one head: answers of one moment were 9 blocks apart/);
  });

  it('prints a table, and its steps beside it', async () => {
    const ran = await plan('--rpc', node.url, '--chain', 'ethereum', '--from', '50', '--price', 'units=0.45');
    expect(ran.code).toBe(0);
    expect(ran.out).toMatch(/^way +requests +calls +units +traffic +time +disk +memory +cost/m);
    expect(ran.out).toMatch(/^(ranges|topics) .* \$0\.\d\d /m);
    expect(ran.out).toMatch(/^calls in a list +200 and more/m);
    expect(ran.err).toMatch(/reading by topics for \d+ s/);
  });

  const wrong: [string[], RegExp][] = [
    [[], /--chain is missing/],
    [['--chain', 'eth'], /--rpc is missing/],
    [['--chain', 'eth', '--rpc', 'http://127.0.0.1:1'], /--from is missing/],
    [['--chain', 'doge', '--rpc', 'http://127.0.0.1:1', '--from', '1'], /--chain "doge" is not known: use sol, eth/],
    [['--chain', 'eth', '--rpc', 'node.example', '--from', '1'], /--rpc must be a URL of http or https/],
    [['--chain', 'eth', '--rpc', 'ws://127.0.0.1:1', '--from', '1'], /--rpc must be a URL of http or https/],
    [['--chain', 'eth', '--rpc', 'http://127.0.0.1:1', '--ws', 'http://x', '--from', '1'], /--ws must be a URL of ws/],
    [['--chain', 'eth', '--rpc', 'http://127.0.0.1:1', '--from', '-1'], /--from/],
    [['--chain', 'eth', '--rpc', 'http://127.0.0.1:1', '--from', 'latest'], /--from must be a whole number from 0/],
    [['--chain', 'eth', '--rpc', 'http://127.0.0.1:1', '--from', '1', '--seconds', '0'], /--seconds must be/],
    [['--chain', 'eth', '--rpc', 'http://127.0.0.1:1', '--from', '1', '--parallel', '1000'], /--parallel must be/],
    [['--chain', 'eth', '--rpc', 'http://127.0.0.1:1', '--from', '1', '--ways', 'blocks'], /--ways of eth are ranges/],
    [['--chain', 'eth', '--rpc', 'http://127.0.0.1:1', '--from', '1', '--price', '5'], /--price must be a list/],
    [['--chain', 'eth', '--rpc', 'http://127.0.0.1:1', '--from', '1', '--price', 'calls=5'], /--price knows requests/],
    [['--chain', 'eth', '--rpc', 'http://127.0.0.1:1', '--from', '1', '--price', 'gb=1,gb=2'], /names gb twice/],
    [['--chain', 'eth', '--rpc', 'http://127.0.0.1:1', '--from', '1', '--units', 'x'], /--units must be a list/],
    [['--nonsense'], /--nonsense.*tidepool plan --help/],
  ];
  it.each(wrong)('%j is refused with exit code 2', async (argv, words) => {
    const ran = await tidepool(join(folder, 'none'), 'plan', ...argv);
    expect([ran.code, ran.out]).toEqual([2, '']);
    expect(ran.err).toMatch(words);
  });

  it('says why nothing can be planned', async () => {
    const dead = await plan('--rpc', 'http://127.0.0.1:1/v2/secretsecret', '--chain', 'eth', '--from', '1');
    expect(dead).toMatchObject({ code: 1, out: '' });
    expect(dead.err).toMatch(/the node cannot be asked: ECONNREFUSED/);
    expect(dead.err).not.toContain('secret');
    const other = await plan('--rpc', node.url, '--chain', 'base', '--from', '1');
    expect(other.err).toMatch(/the node serves chain id 1, the chain that is planned is 8453/);
    const above = await plan('--rpc', node.url, '--chain', 'eth', '--from', '100000');
    expect([above.code, above.err]).toEqual([2, expect.stringMatching(/--from 100000 is above the newest block/)]);
  });
});

describe('the plan of a Solana node', () => {
  let node: LocalSolana;
  let proxy: LimitedNode;
  beforeAll(async () => {
    node = await startLocalSolana({ confirmedDepth: 0, finalizedDepth: 4 });
    for (let n = 0; n < 120; n++) await node.slot();
    proxy = await LimitedNode.before(node.rpcUrl, { list: 5, missing: ['getRecentPrioritizationFees'] });
  });
  afterAll(async () => {
    await proxy.close();
    await node.stop();
  });

  it('says what its blocks take, one a request or several', async () => {
    const made = await planned('--rpc', proxy.url, '--ws', node.wsUrl, '--chain', 'sol', '--from', '1');
    expect(made.ways.map(({ name, refused }) => [name, refused]).sort()).toEqual([
      ['blocks', null],
      ['lists', null],
    ]);
    expect(limit(made, 'calls in a list')).toMatchObject({ size: 5, refused: { size: 6 } });
    expect(way(made, 'blocks').calls.getBlock).toBeGreaterThan(50);
    expect(way(made, 'lists').requests).toBeLessThan(way(made, 'blocks').requests);
    expect(oldest(made, 'blocks')).toBe(1);
    expect(has(made, 'getRecentPrioritizationFees')).toBe(false);
    expect(has(made, 'slots over a socket')).toBe(true);
    expect(has(made, 'inner instructions')).toBe(true);
  });

  it('is no plan of another chain', async () => {
    const ran = await plan('--rpc', node.rpcUrl, '--chain', 'eth', '--from', '1');
    expect([ran.code, ran.out]).toEqual([1, '']);
    expect(ran.err).toMatch(/the node cannot be asked/);
  });
});
