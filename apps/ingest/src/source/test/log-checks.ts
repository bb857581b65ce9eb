import { decodeEventLog, parseAbi, toEventSelector } from 'viem';
import type { ChainBuilder } from '#libs/devkit/chain-builder/chain-builder.js';
import { OFFICIAL } from '#libs/devkit/chain-builder/official-addresses.js';
import type { BlockGroup, BlocksGroup, PoolRecord, TokenRecord } from '#libs/protocol/blocks.js';

const abi = parseAbi([
  'event PairCreated(address indexed token0, address indexed token1, address pair, uint256 count)',
  'event PoolCreated(address indexed token0, address indexed token1, uint24 indexed fee, int24 tickSpacing, address pool)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Sync(uint112 reserve0, uint112 reserve1)',
  'event Initialize(uint160 sqrtPriceX96, int24 tick)',
  'event Collect(address indexed owner, address recipient, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount0, uint128 amount1)',
  'event Flash(address indexed sender, address indexed recipient, uint256 amount0, uint256 amount1, uint256 paid0, uint256 paid1)',
]);
const v2 = parseAbi([
  'event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)',
  'event Mint(address indexed sender, uint256 amount0, uint256 amount1)',
  'event Burn(address indexed sender, uint256 amount0, uint256 amount1, address indexed to)',
]);
const v3 = parseAbi([
  'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)',
  'event Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
  'event Burn(address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
  'event CollectProtocol(address indexed sender, address indexed recipient, uint128 amount0, uint128 amount1)',
]);

/** Surviving block groups of a log, by the plainest reading of its rules; every broken rule throws. */
export function survivors(groups: readonly BlocksGroup[]): BlockGroup[] {
  let chain: BlockGroup[] = [];
  let sealed = Number.NEGATIVE_INFINITY;
  const [epoch] = groups;
  if (epoch?.kind !== 'epoch') throw new Error('the first group is no epoch');
  groups.forEach((group, n) => {
    if (group.seq !== n || group.epoch !== epoch.epoch || group.chain !== epoch.chain)
      throw new Error(`group ${n} is out of place`);
    const head = chain.at(-1) ?? epoch;
    if (group.kind === 'block') {
      const gapless = epoch.reference.family === 'evm';
      const ascends = gapless ? group.height === head.height + 1 : group.height > head.height;
      if (!ascends) throw new Error(`block ${group.height} after ${head.height}`);
      if (head.hash !== '' && group.parentHash !== head.hash)
        throw new Error(`block ${group.height} has another parent`);
      chain.push(group);
    } else if (group.kind === 'retract') {
      const gone = chain.filter((block) => block.height > group.height);
      if (gone.length === 0) throw new Error(`group ${n} retracts nothing`);
      if (gone[0]!.seq !== group.fromSeq)
        throw new Error(`group ${n} retracts from ${group.fromSeq}, not ${gone[0]!.seq}`);
      chain = chain.filter((block) => block.height <= group.height);
      const now = chain.at(-1) ?? epoch;
      if (now.hash !== group.hash || now.height !== group.height) throw new Error(`group ${n} names another head`);
      sealed = Math.min(sealed, group.height);
    } else if (group.kind === 'finalize') {
      const block = chain.find((candidate) => candidate.height === group.height);
      if (block?.hash !== group.hash) throw new Error(`group ${n} seals a block that is not there`);
      if (group.height <= sealed) throw new Error(`group ${n} seals ${group.height} after ${sealed}`);
      if (group.finalizedHeight > group.height) throw new Error(`group ${n}: finality above the seal`);
      sealed = group.height;
    } else if (n > 0) {
      throw new Error(`a second epoch group at ${n}`);
    }
  });
  return chain;
}

/**
 * What the log must hold of a chain, written from the chain's raw logs with viem's generic decoder: for each block its
 * events in a plain form, every pool and token recorded once and before its first event.
 */
export function expectLog(
  groups: readonly BlocksGroup[],
  chain: ChainBuilder,
  options: { from?: number; to?: number } = {},
): void {
  const from = options.from ?? 0;
  const blocks = survivors(groups);
  const canonical = chain.canonicalBlocks(from, options.to);
  expect(blocks.map((block) => `${block.height} ${block.hash}`)).toEqual(
    canonical.map((block) => `${block.number} ${block.hash.slice(2)}`),
  );
  const pools = officialPools(chain);
  const recorded = new Map<string, PoolRecord>();
  const tokens = new Map<string, TokenRecord>();
  for (const [n, block] of blocks.entries()) {
    const built = canonical[n]!;
    for (const token of block.tokens) {
      if (tokens.has(token.token)) throw new Error(`token ${token.token} recorded twice`);
      tokens.set(token.token, token);
      expect({ token: token.token, decimals: token.decimals }).toEqual({
        token: token.token,
        decimals: decimalsOf(chain, token.token),
      });
    }
    for (const pool of block.pools) {
      if (recorded.has(pool.pool)) throw new Error(`pool ${pool.pool} recorded twice`);
      const known = pools.get(pool.pool);
      expect(pool).toEqual({ ...known!.record, created: known!.height === block.height });
      expect(tokens.has(pool.token0) && tokens.has(pool.token1)).toBe(true);
      recorded.set(pool.pool, pool);
    }
    const expected = built.logs.flatMap((log) => plainLog(log, pools) ?? []);
    const found = block.events.map((event) => {
      const tx = block.txs[event.tx]!;
      if (event.kind === 'payment') throw new Error('no node of an EVM chain shows payments');
      const owner = 'pool' in event ? event.pool : event.token;
      if ('pool' in event && !recorded.has(event.pool)) throw new Error(`event of ${event.pool} before its record`);
      const transaction = built.transactions[tx.index]!;
      expect({ id: tx.id, sender: tx.sender }).toEqual({
        id: transaction.hash.slice(2),
        sender: transaction.from.slice(2).toLowerCase(),
      });
      return `${event.ordinal} ${event.kind} ${owner} ${amountsOf(event)} ${tx.index}`;
    });
    expect({ height: block.height, events: found }).toEqual({ height: block.height, events: expected });
    expect(block.time).toBe(built.timestamp * 1000);
  }
}

/** As the contract itself says; null where it reverts or is absurd. */
function decimalsOf(chain: ChainBuilder, token: string): number | null {
  try {
    const decimals = Number(chain.call(`0x${token}`, '0x313ce567'));
    return decimals <= 36 ? decimals : null;
  } catch {
    return null;
  }
}

function amountsOf(event: BlockGroup['events'][number]): string {
  switch (event.kind) {
    case 'transfer':
      return `${event.amount}`;
    case 'reserves':
      return `${event.reserve0} ${event.reserve1}`;
    case 'initialize':
      return `${event.sqrtPriceX96} ${event.tick}`;
    case 'swap':
    case 'liquidity':
    case 'flow':
      return `${event.amount0} ${event.amount1}`;
    default:
      return event.kind;
  }
}

interface OfficialPool {
  record: Omit<PoolRecord, 'created'>;
  height: number;
}

/** Pools made by the two factories of the chain spec, from the canonical blocks. */
function officialPools(chain: ChainBuilder): Map<string, OfficialPool> {
  const pools = new Map<string, OfficialPool>();
  for (const block of chain.canonicalBlocks()) {
    for (const log of block.logs) {
      const factory = log.address.toLowerCase();
      if (factory !== OFFICIAL.v2Factory && factory !== OFFICIAL.v3Factory) continue;
      const event = decode(abi, log);
      const args: Record<string, unknown> = { ...(event?.args as object) };
      const id = (name: string): string => String(args[name]).slice(2).toLowerCase();
      if (event?.eventName === 'PairCreated') {
        const { token0, token1, pair } = { token0: id('token0'), token1: id('token1'), pair: id('pair') };
        const shape = { venue: 'uniswap-v2', kind: 'constant-product', feePpm: 3000, tickSpacing: 0 } as const;
        pools.set(pair, { record: { pool: pair, token0, token1, ...shape }, height: block.number });
      } else if (event?.eventName === 'PoolCreated') {
        const shape = {
          venue: 'uniswap-v3',
          kind: 'concentrated',
          feePpm: Number(args.fee),
          tickSpacing: Number(args.tickSpacing),
        } as const;
        const record = { pool: id('pool'), token0: id('token0'), token1: id('token1'), ...shape };
        pools.set(id('pool'), { record, height: block.number });
      }
    }
  }
  return pools;
}

interface PlainLog {
  address: string;
  topics: string[];
  data: string;
  logIndex: string;
  transactionIndex: string;
}

type Events = typeof abi | typeof v2 | typeof v3;

/** Events by their first topic: viem hashes the signature of every event it is given, for every log. */
const byTopic = new Map(
  [abi, v2, v3].map((events): [Events, Map<string, Events[number]>] => [
    events,
    new Map(events.map((event) => [toEventSelector(event), event])),
  ]),
);

function decode(from: Events, log: PlainLog): { eventName: string; args: unknown } | null {
  const event = byTopic.get(from)!.get(log.topics[0] ?? '');
  if (!event) return null;
  try {
    const input = { topics: log.topics as [`0x${string}`], data: log.data as `0x${string}` };
    return decodeEventLog({ abi: [event] as unknown as typeof abi, ...input }) as { eventName: string; args: unknown };
  } catch {
    return null;
  }
}

function plainLog(log: PlainLog, pools: Map<string, OfficialPool>): string | null {
  const owner = log.address.slice(2).toLowerCase();
  const pool = pools.get(owner)?.record;
  const event = decode(abi, log) ?? (pool && decode(pool.kind === 'constant-product' ? v2 : v3, log));
  if (!event) return null;
  const a = event.args as Record<string, bigint>;
  const line = (kind: string, ...amounts: (bigint | undefined)[]): string =>
    `${Number(log.logIndex)} ${kind} ${owner} ${amounts.join(' ')} ${Number(log.transactionIndex)}`;
  if (event.eventName === 'Transfer') return line('transfer', a.value);
  if (!pool) return null;
  switch (event.eventName) {
    case 'Sync':
      return line('reserves', a.reserve0, a.reserve1);
    case 'Initialize':
      return line('initialize', a.sqrtPriceX96, a.tick);
    case 'Mint':
      return line('liquidity', a.amount0, a.amount1);
    case 'Burn':
      return line('liquidity', -a.amount0!, -a.amount1!);
    case 'Collect':
    case 'CollectProtocol':
      return line('flow', -a.amount0!, -a.amount1!);
    case 'Flash':
      return line('flow', a.paid0, a.paid1);
    case 'Swap':
      return pool.kind === 'constant-product'
        ? line('swap', a.amount0In! - a.amount0Out!, a.amount1In! - a.amount1Out!)
        : line('swap', a.amount0, a.amount1);
    default:
      return null;
  }
}
