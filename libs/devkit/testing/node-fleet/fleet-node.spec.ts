import { ChainBuilder } from '#libs/devkit/chain-builder/chain-builder.js';
import { startFaultRpc } from '#libs/devkit/chain-faults/fault-rpc.js';
import { startLocalSolana } from '#libs/devkit/devnet/solana/local-solana.js';
import { untilAnswer } from '../until.js';
import type { Behaviour, Capability, Family, Json } from './behaviour.js';
import { behavioursOf, missing, newestOf, randomFleet, spanOf } from './fleet.js';
import { FleetNode, type HonestNode } from './fleet-node.js';

/**
 * Each behaviour alone, seen by raw questions: it strikes, and what it says of the node's capabilities is so. A careful client
 * asks for one block at a time, again and again, and gets the honest answer for the span that is stated and not for the rest.
 */
const BLOCKS = 48;
/** One block of so many is asked for. */
const EVERY = 5;
const SEED = 11;
/** Questions after which a node that will never answer has been asked often enough. */
const HOPELESS = 3;
const SILENCE_MS = 250;

interface World {
  readonly honest: HonestNode;
  /** A question of one block that shows a capability. */
  ask(url: string, capability: Capability, height: number): Promise<string | null>;
  /** Questions of every kind that a behaviour may refuse, some of them many at once. */
  readonly questions: readonly ((url: string) => Promise<unknown>)[];
  readonly heights: readonly number[];
  close(): Promise<void>;
}

const CAPABILITIES: Record<Family, readonly Capability[]> = {
  evm: ['blocks', 'logs', 'receipts', 'state'],
  solana: ['blocks', 'slots'],
};

const worlds: Record<Family, () => Promise<World>> = { evm: evmWorld, solana: solanaWorld };

describe.each(['evm', 'solana'] as const)('behaviours of %s nodes', (family) => {
  let world: World;
  beforeAll(async () => {
    world = await worlds[family]();
  });
  afterAll(() => world.close());

  it('are at least forty, each with a name of its own', () => {
    const names = behavioursOf(family).map(({ name }) => name);
    expect(names.length).toBeGreaterThanOrEqual(40);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(behavioursOf(family).map((behaviour) => [behaviour.name, behaviour] as const))('%s', async (_, behaviour) => {
    const node = await FleetNode.start(world.honest, [behaviour], SEED);
    try {
      await strike(node, behaviour);
      expect(node.struck[behaviour.name]).toBeGreaterThan(0);
      for (const capability of CAPABILITIES[family]) await expectSpan(node, behaviour, capability);
    } finally {
      await node.close();
    }
  });

  async function strike(node: FleetNode, { name }: Behaviour): Promise<void> {
    for (let round = 0; round < 4; round++) {
      for (const question of world.questions) {
        await question(node.url);
        if (node.struck[name]) return;
      }
    }
  }

  /** On a busy machine it may be silent for longer than a question waits. */
  const ofHonest = (capability: Capability, height: number): Promise<string> =>
    untilAnswer(`${capability} of ${height} by the honest node`, () => world.ask(world.honest.url, capability, height));

  /** What is inside of the stated span is answered in the end; of what is outside at least one is not. */
  async function expectSpan(node: FleetNode, behaviour: Behaviour, capability: Capability): Promise<void> {
    const span = spanOf([behaviour], capability);
    const head = await world.honest.head();
    const [inside, outside]: [number[], number[]] = [[], []];
    for (const height of world.heights) {
      // At the very edges a share of the chain is rounded.
      const share = height / head;
      if (span === null || share < span[0] - 0.02 || share > span[1] + 0.02) outside.push(height);
      else if (share > span[0] + 0.02 && (share < span[1] - 0.02 || span[1] === 1)) inside.push(height);
    }
    for (const height of inside) {
      const wanted = await ofHonest(capability, height);
      const same = async (): Promise<boolean> => (await world.ask(node.url, capability, height)) === wanted;
      await untilAnswer(`${behaviour.name}: ${capability} of ${height}`, same, { everyMs: 3, patienceMs: 60_000 });
    }
    if (outside.length === 0) return;
    for (const height of outside) {
      const wanted = await ofHonest(capability, height);
      let answered = false;
      for (let times = 0; times < HOPELESS; times++) {
        answered ||= (await world.ask(node.url, capability, height)) === wanted;
      }
      if (!answered) return;
    }
    throw new Error(`${behaviour.name}: all ${capability} are answered, though it states that a part is not`);
  }
});

describe('fleets', () => {
  it('are drawn from their seed, and both kinds are met: those that together know all and those that do not', () => {
    for (const family of ['evm', 'solana'] as const) {
      const fleets = Array.from({ length: 200 }, (_, seed) => randomFleet(family, seed));
      expect(randomFleet(family, 7)).toEqual(fleets[7]);
      const lacking = fleets.filter((fleet) => missing(family, fleet).length > 0).length;
      expect(lacking).toBeGreaterThan(10);
      expect(lacking).toBeLessThan(150);
      expect(Math.max(...fleets.map((fleet) => fleet.length))).toBe(4);
    }
  });

  it('lack what none of their nodes has, part by part', () => {
    const behaviours = behavioursOf('evm');
    const named = (...names: string[]): Behaviour[] => names.map((name) => behaviours.find((b) => b.name === name)!);
    const pruned = named('pruned: Geth, history');
    const stuck = named('head: a head that stays');
    expect(missing('evm', [pruned])).toEqual(['blocks', 'logs']);
    expect(missing('evm', [stuck])).toEqual([]);
    expect(newestOf([stuck])).toBeLessThan(1);
    expect(missing('evm', [stuck, named('plan: QuickNode, archive', 'method: no calls')])).toEqual(['state']);
    expect(missing('evm', [pruned, stuck])).toEqual([]);
    const noLogs = named('method: no logs (Geth)');
    const noReceipts = named('method: no receipts of blocks (Geth)');
    expect(missing('evm', [noLogs])).toEqual([]);
    expect(missing('evm', [[...noLogs, ...noReceipts]])).toEqual(['logs']);
    expect(missing('evm', [[...noLogs, ...noReceipts], named('method: no calls')])).toEqual([]);
  });
});

/** The answer to one call, in a form that does not depend on order, repeats and letters; null for everything else. */
async function single(url: string, method: string, params: Json[]): Promise<Json> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  try {
    const signal = AbortSignal.timeout(SILENCE_MS);
    const response = await fetch(url, {
      method: 'POST',
      body,
      signal,
      headers: { 'content-type': 'application/json' },
    });
    const { result } = (await response.json()) as Json;
    return result ?? null;
  } catch {
    return null; // refused, cut or silent: no answer
  }
}

async function list(url: string, calls: { method: string; params: Json[] }[]): Promise<void> {
  const body = JSON.stringify(calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call })));
  const signal = AbortSignal.timeout(SILENCE_MS);
  await fetch(url, { method: 'POST', body, signal }).then(
    (response) => response.arrayBuffer(),
    () => undefined,
  );
}

const hex = (height: number): string => `0x${height.toString(16)}`;

function plainLogs(logs: Json): string {
  const texts = logs.map(({ address, topics, data, blockHash, transactionHash, logIndex }: Json) =>
    JSON.stringify([Number(logIndex), blockHash, transactionHash, address, topics, data]).toLowerCase(),
  );
  return [...new Set(texts)].sort().join();
}

async function evmWorld(): Promise<World> {
  const chain = new ChainBuilder({ seed: SEED, transactions: [2, 4] });
  chain.mine(BLOCKS - chain.head.number);
  const rpc = await startFaultRpc({ chain, faults: { finalityDepth: 20 } });
  const hashOf = (height: number): string => chain.blockByNumber(height)!.hash;
  const range = [{ fromBlock: '0x1', toBlock: hex(chain.head.number) }];
  const many = Array.from({ length: 40 }, (_, n) => n + 1);
  const known = (text: string | null): string | null => (text === null || text === 'null' ? null : text);
  return {
    honest: { family: 'evm', url: rpc.url, head: async () => chain.head.number },
    heights: Array.from({ length: chain.head.number / EVERY }, (_, n) => n * EVERY + 1),
    close: () => rpc.close(),
    async ask(url, capability, height) {
      const at = hex(height);
      switch (capability) {
        case 'blocks':
          return known(JSON.stringify(await single(url, 'eth_getBlockByNumber', [at, true])));
        case 'logs': {
          const logs = await single(url, 'eth_getLogs', [{ fromBlock: at, toBlock: at }]);
          return logs === null ? null : plainLogs(logs);
        }
        case 'receipts':
          return known(JSON.stringify(await single(url, 'eth_getBlockReceipts', [hashOf(height)])));
        default: {
          const call = { to: chain.addresses.weth, data: '0x313ce567' };
          return known(JSON.stringify(await single(url, 'eth_call', [call, { blockHash: hashOf(height) }])));
        }
      }
    },
    questions: [
      (url) => single(url, 'eth_getLogs', range),
      (url) =>
        list(
          url,
          many.map((height) => ({ method: 'eth_getBlockByNumber', params: [hex(height), true] })),
        ),
      (url) => single(url, 'eth_getBlockByNumber', ['finalized', false]),
      (url) => single(url, 'eth_call', [{ to: chain.addresses.weth, data: '0x' }, { blockHash: hashOf(2) }]),
      (url) => Promise.all(many.map((height) => single(url, 'eth_getBlockReceipts', [hashOf(height)]))),
      (url) => Promise.all(many.map((height) => single(url, 'eth_getBlockByNumber', [hex(height), true]))),
    ],
  };
}

async function solanaWorld(): Promise<World> {
  const chain = await startLocalSolana({ seed: SEED, finalizedDepth: 12 });
  for (let n = 0; n < BLOCKS; n++) {
    for (let k = 0; k < 2; k++) chain.airdrop(chain.faucet, BigInt(1 + n * 2 + k));
    chain.slot();
  }
  const config = { commitment: 'confirmed', maxSupportedTransactionVersion: 1, rewards: false };
  const head = async (): Promise<number> => single(chain.rpcUrl, 'getSlot', [config]);
  const tip = await head();
  const many = Array.from({ length: 40 }, (_, n) => n + 1);
  const slots: number[] = await single(chain.rpcUrl, 'getBlocks', [0, tip, config]);
  return {
    honest: { family: 'solana', url: chain.rpcUrl, head },
    heights: slots.filter((_, n) => n % EVERY === 1),
    close: () => chain.stop(),
    async ask(url, capability, slot) {
      const asked = capability === 'blocks' ? ['getBlock', [slot, config]] : ['getBlocks', [slot, slot, config]];
      const answer = await single(url, ...(asked as [string, Json[]]));
      return answer === null ? null : JSON.stringify(answer);
    },
    questions: [
      (url) => single(url, 'getBlocks', [1, tip, config]),
      (url) =>
        list(
          url,
          many.map((slot) => ({ method: 'getBlock', params: [slot, config] })),
        ),
      (url) => single(url, 'getBlocksWithLimit', [1, 5, config]),
      (url) => single(url, 'getTransaction', ['1', config]),
      (url) => single(url, 'getFirstAvailableBlock', []),
      (url) => Promise.all(many.map((slot) => single(url, 'getBlock', [slot, config]))),
      (url) => Promise.all(many.map(() => single(url, 'getSlot', [config]))),
    ],
  };
}
