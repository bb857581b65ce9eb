import { type AbiEvent, encodeAbiParameters, getAbiItem, keccak256, parseAbi, toEventSelector } from 'viem';
import { decodeTransfer, TRANSFER_TOPIC } from '#libs/chain/chains/evm/erc20/transfer.js';
import type { LogInput } from '#libs/chain/chains/evm/event-decoder.js';
import { HexText } from '#libs/chain/chains/evm/hex-text.js';
import type { EvmVenueModule, VenueSite } from '#libs/chain/market-ports/evm/evm-venue.js';
import { V2_TOPICS } from '#libs/chain/market-ports/evm/v2-pair/pair-events.js';
import { V3_TOPICS } from '#libs/chain/market-ports/evm/v3-pool/pool-events.js';
import { poolEventTable, registerVenues } from '#libs/chain/market-ports/evm/venue-registry.js';
import { scaled, testSeed } from '#libs/devkit/testing/seeded-random.js';
import type { ChainEvent } from '#libs/protocol/blocks.js';
import { evmVenues } from './evm-registry.js';

const v2Abi = parseAbi([
  'event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)',
  'event Sync(uint112 reserve0, uint112 reserve1)',
  'event Mint(address indexed sender, uint256 amount0, uint256 amount1)',
  'event Burn(address indexed sender, uint256 amount0, uint256 amount1, address indexed to)',
]);
const v3Abi = parseAbi([
  'event Initialize(uint160 sqrtPriceX96, int24 tick)',
  'event Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
  'event Burn(address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
  'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)',
  'event Collect(address indexed owner, address recipient, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount0, uint128 amount1)',
  'event CollectProtocol(address indexed sender, address indexed recipient, uint128 amount0, uint128 amount1)',
  'event Flash(address indexed sender, address indexed recipient, uint256 amount0, uint256 amount1, uint256 paid0, uint256 paid1)',
]);
const pancakeAbi = parseAbi([
  'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint128 protocolFeesToken0, uint128 protocolFeesToken1)',
]);
const otherAbi = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event PairCreated(address indexed token0, address indexed token1, address pair, uint256 count)',
  'event PoolCreated(address indexed token0, address indexed token1, uint24 indexed fee, int24 tickSpacing, address pool)',
]);

const seed = testSeed();
const rounds = scaled(2000);

/** Deterministic stream of random values of ABI types, extremes included. */
function randomValues(start: number) {
  let counter = start;
  const bits = (count: number): bigint => {
    const hash = BigInt(keccak256(`0x${(counter++).toString(16).padStart(64, '0')}`));
    return hash & ((1n << BigInt(count)) - 1n);
  };
  const below = (count: number): number => Number(bits(48)) % count;
  return (type: string): bigint | number | string => {
    if (type === 'address') return `0x${bits(160).toString(16).padStart(40, '0')}`;
    const size = Number(/\d+$/.exec(type)![0]);
    const max = 1n << BigInt(size);
    const shape = below(6);
    let value = shape === 0 ? 0n : shape === 1 ? max - 1n : shape === 2 ? max >> 1n : bits(1 + below(size));
    if (type.startsWith('int') && value >= max >> 1n) value -= max;
    return size <= 48 ? Number(value) : value;
  };
}

interface Sample {
  log: { address: string; topics: string[]; data: string };
  args: Record<string, bigint | number | string>;
}

function randomLog(event: AbiEvent, next: (type: string) => bigint | number | string): Sample {
  const args: Sample['args'] = {};
  for (const input of event.inputs) args[input.name!] = next(input.type);
  const encode = (inputs: typeof event.inputs): string =>
    encodeAbiParameters(
      inputs,
      inputs.map((input) => args[input.name!]),
    );
  const indexed = event.inputs.filter((input) => input.indexed);
  return {
    log: {
      address: next('address') as string,
      topics: [toEventSelector(event), ...indexed.map((input) => encode([input]))],
      data: encode(event.inputs.filter((input) => !input.indexed)),
    },
    args,
  };
}

const asInput = (log: Sample['log']): LogInput => ({ ...log, data: HexText.read(log.data)! });

type Args = Record<string, never> & Record<string, bigint & number & string>;
const id = (address: string): string => address.slice(2);
const negated = (value: bigint): bigint => -value;

/** What each event must become, written from the specification of the events record alone. */
const expected: Record<string, (args: Args) => Record<string, unknown>> = {
  'v2 Swap': (a) => ({
    kind: 'swap',
    amount0: a.amount0In! - a.amount0Out!,
    amount1: a.amount1In! - a.amount1Out!,
    sender: id(a.sender!),
    recipient: id(a.to!),
    after: null,
  }),
  'v2 Sync': (a) => ({ kind: 'reserves', reserve0: a.reserve0, reserve1: a.reserve1 }),
  'v2 Mint': (a) => v2Liquidity(a, a.amount0!, a.amount1!),
  'v2 Burn': (a) => v2Liquidity(a, negated(a.amount0!), negated(a.amount1!)),
  'v3 Initialize': (a) => ({ kind: 'initialize', sqrtPriceX96: a.sqrtPriceX96, tick: a.tick }),
  'v3 Mint': (a) => v3Liquidity(a, a.amount!, a.amount0!, a.amount1!),
  'v3 Burn': (a) => v3Liquidity(a, negated(a.amount!), negated(a.amount0!), negated(a.amount1!)),
  'v3 Swap': (a) => v3Swap(a),
  'pancake Swap': (a) => v3Swap(a),
  'v3 Collect': (a) => ({ kind: 'flow', amount0: negated(a.amount0!), amount1: negated(a.amount1!) }),
  'v3 CollectProtocol': (a) => ({ kind: 'flow', amount0: negated(a.amount0!), amount1: negated(a.amount1!) }),
  'v3 Flash': (a) => ({ kind: 'flow', amount0: a.paid0, amount1: a.paid1 }),
};

function v2Liquidity(a: Args, amount0: bigint, amount1: bigint) {
  const base = { kind: 'liquidity', tickLower: 0, tickUpper: 0, liquidityDelta: 0n };
  return { ...base, owner: id(a.sender!), amount0, amount1 };
}
function v3Liquidity(a: Args, liquidityDelta: bigint, amount0: bigint, amount1: bigint) {
  const range = { tickLower: a.tickLower, tickUpper: a.tickUpper };
  return { kind: 'liquidity', owner: id(a.owner!), ...range, liquidityDelta, amount0, amount1 };
}
function v3Swap(a: Args) {
  const after = { sqrtPriceX96: a.sqrtPriceX96, liquidity: a.liquidity, tick: a.tick };
  const parties = { sender: id(a.sender!), recipient: id(a.recipient!) };
  return { kind: 'swap', amount0: a.amount0, amount1: a.amount1, ...parties, after };
}

/** The venues that share the events of the V2 pair and the V3 pool; others have specs in their folders. */
const shared = ['uniswap-v2', 'uniswap-v3', 'pancakeswap-v2', 'pancakeswap-v3'].map((name) => evmVenues.get(name)!);
const table = poolEventTable(shared);
const events: [string, AbiEvent][] = [
  ...v2Abi.map((event): [string, AbiEvent] => [`v2 ${event.name}`, event]),
  ...v3Abi.map((event): [string, AbiEvent] => [`v3 ${event.name}`, event]),
  ['pancake Swap', pancakeAbi[0]],
];

describe('venue decoders', () => {
  it.each(events)('%s: random logs encoded by viem decode to the specified event', (name, event) => {
    const next = randomValues(seed);
    for (let round = 0; round < rounds; round++) {
      const { log, args } = randomLog(event, next);
      const decoded = table.get(log.topics[0]!)!.decode(asInput(log), 3, round);
      const want = { tx: 3, ordinal: round, pool: id(log.address), ...expected[name]!(args as Args) };
      expect({ seed, round, decoded }).toEqual({ seed, round, decoded: want });
      const upper = { ...log, address: `0x${log.address.slice(2).toUpperCase()}` };
      expect(table.get(log.topics[0]!)!.decode(asInput(upper), 3, round)).toEqual(want);
    }
  });

  it('covers every topic of every venue', () => {
    const tested = new Set(events.map(([, event]) => toEventSelector(event)));
    expect([...table.keys()].sort()).toEqual([...tested].sort());
  });

  it('never throws and gives null for another shape under the same topic', () => {
    const next = randomValues(seed + 1);
    for (const [name, event] of events) {
      const { log } = randomLog(event, next);
      const { decode } = table.get(log.topics[0]!)!;
      const shapes = [
        { ...log, data: '0x' },
        { ...log, data: log.data.slice(0, -2) },
        { ...log, data: `${log.data}${'0'.repeat(64)}` },
        { ...log, topics: log.topics.slice(0, -1) },
        { ...log, topics: [...log.topics, log.topics[0]!] },
      ];
      for (const shape of shapes)
        expect({ name, decoded: decode(asInput(shape), 0, 0) }).toEqual({ name, decoded: null });
    }
  });

  it('refuses ticks that are not sign-extended int24', () => {
    const next = randomValues(seed + 2);
    for (const [name, event] of events.filter(([, candidate]) => candidate.inputs.some((i) => i.type === 'int24'))) {
      if (name === 'v3 Collect') continue; // its ticks are not read
      const { log } = randomLog(event, next);
      const position = event.inputs.filter((input) => !input.indexed).findIndex((input) => input.type === 'int24');
      const spoiled =
        position >= 0
          ? { ...log, data: replaceWord(log.data, position, `1${'0'.repeat(63)}`) }
          : { ...log, topics: [...log.topics.slice(0, 3), `0x1${'0'.repeat(63)}`] };
      expect({ name, decoded: table.get(log.topics[0]!)!.decode(asInput(spoiled), 0, 0) }).toEqual({
        name,
        decoded: null,
      });
    }
  });
});

function replaceWord(data: string, index: number, word: string): string {
  return `${data.slice(0, 2 + 64 * index)}${word}${data.slice(66 + 64 * index)}`;
}

describe('pool creation', () => {
  const next = randomValues(seed + 3);
  const pairFees: Record<string, number> = { 'uniswap-v2': 3000, 'pancakeswap-v2': 2500 };
  it.each(shared.map((venue): [string, EvmVenueModule] => [venue.venue, venue]))('%s', (_, venue) => {
    const isPair = venue.protocol === 'v2';
    const abi = getAbiItem({ abi: otherAbi, name: isPair ? 'PairCreated' : 'PoolCreated' }) as AbiEvent;
    const site: VenueSite = {
      venue,
      factory: id(next('address') as string),
      contracts: {},
      coin: '',
      trustedHooks: new Set(),
    };
    const decode = (log: LogInput) => venue.creations[toEventSelector(abi)]!(log, site);
    for (let round = 0; round < rounds; round++) {
      const { log, args } = randomLog(abi, next);
      const spacing = args.tickSpacing as number | undefined;
      const valid = spacing === undefined || (spacing > 0 && (args.fee as number) < 1_000_000);
      const pool: Record<string, unknown> = {
        pool: id((args.pair ?? args.pool) as string),
        venue: venue.venue,
        kind: isPair ? 'constant-product' : 'concentrated',
        token0: id(args.token0 as string),
        token1: id(args.token1 as string),
        feePpm: pairFees[venue.venue] ?? args.fee,
        tickSpacing: spacing ?? 0,
        created: true,
      };
      expect({ seed, decoded: decode(asInput(log)) }).toEqual({ seed, decoded: valid ? pool : null });
      expect(decode(asInput({ ...log, data: '0x' }))).toBeNull();
    }
  });
});

describe('ERC-20 transfer', () => {
  it('decodes transfers and leaves ERC-721 and unindexed ones alone', () => {
    const abi = getAbiItem({ abi: otherAbi, name: 'Transfer' }) as AbiEvent;
    expect(TRANSFER_TOPIC).toBe(toEventSelector(abi));
    const next = randomValues(seed + 4);
    for (let round = 0; round < rounds; round++) {
      const { log, args } = randomLog(abi, next);
      const want: ChainEvent = {
        kind: 'transfer',
        tx: 1,
        ordinal: 2,
        token: id(log.address),
        from: id(args.from as string),
        to: id(args.to as string),
        amount: args.value as bigint,
      };
      expect({ seed, event: decodeTransfer(asInput(log), 1, 2) }).toEqual({ seed, event: want });
      expect(decodeTransfer(asInput({ ...log, topics: [...log.topics, log.data], data: '0x' }), 1, 2)).toBeNull();
      expect(decodeTransfer(asInput({ ...log, topics: log.topics.slice(0, 1) }), 1, 2)).toBeNull();
    }
  });
});

describe('venue registry', () => {
  it('refuses a venue twice and two readings of one topic', () => {
    const [venue] = evmVenues.values();
    expect(() => registerVenues([venue!, venue!])).toThrow('registered twice');
    const events = { [V2_TOPICS.swap]: { protocol: 'v2', decode: () => null } };
    const other = { ...venue!, venue: 'other', events };
    expect(() => registerVenues([venue!, other])).toThrow('unlike a venue before it');
    expect(V2_TOPICS.mint).not.toBe(V3_TOPICS.mint);
  });
});
