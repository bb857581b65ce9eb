import { readFileSync } from 'node:fs';
import {
  decodeEventLog,
  decodeFunctionData,
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionResult,
  keccak256,
  parseAbi,
  toEventSelector,
} from 'viem';
import type { LogInput } from '#libs/chain/chains/evm/event-decoder.js';
import { HexText } from '#libs/chain/chains/evm/hex-text.js';
import { withoutPrefix } from '#libs/chain/chains/evm/words.js';
import type { VenueSite } from '#libs/chain/market-ports/evm/evm-venue.js';
import type { PoolRecord } from '#libs/protocol/blocks.js';
import { V4_TOPICS } from './events.js';
import { DYNAMIC_FEE, hooksChangeAmounts } from './hooks.js';
import { type PoolKey, poolIdOf } from './pool-key.js';
import { uniswapV4 } from './venue.js';

interface RawLog {
  address: `0x${string}`;
  topics: [`0x${string}`, ...`0x${string}`[]];
  data: `0x${string}`;
  logIndex: string;
}
interface RecordedSwap {
  logIndex: number;
  poolManager: string;
  poolId: string;
  sender: string;
  amount0: string;
  amount1: string;
  sqrtPriceX96After: string;
  liquidityAfter: string;
  tickAfter: number;
}
const recorded: { chainId: number; transactionHash: string; logs: RawLog[]; swaps: RecordedSwap[] }[] = JSON.parse(
  readFileSync(new URL('./fixtures/swaps.json', import.meta.url), 'utf8'),
);

const abi = parseAbi([
  'event Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, uint24 fee, int24 tickSpacing, address hooks, uint160 sqrtPriceX96, int24 tick)',
  'event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee)',
  'event ModifyLiquidity(bytes32 indexed id, address indexed sender, int24 tickLower, int24 tickUpper, int256 liquidityDelta, bytes32 salt)',
  'event Donate(bytes32 indexed id, address indexed sender, uint256 amount0, uint256 amount1)',
  'function extsload(bytes32[] slots) view returns (bytes32[])',
  'function poolKeys(bytes25 id) view returns (address, address, uint24, int24, address)',
]);

const COIN = 'c0'.repeat(20);
const TOKEN = 'a0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
const ZERO = '0'.repeat(40);
const site: VenueSite = {
  ...{ venue: uniswapV4, factory: 'fa'.repeat(20), coin: COIN, trustedHooks: new Set<string>() },
  contracts: { positionManager: 'bb'.repeat(20) },
};
const key: PoolKey = { currency0: ZERO, currency1: TOKEN, fee: 500, tickSpacing: 10, hooks: ZERO };
const input = ({ address, topics, data }: Omit<RawLog, 'logIndex'>): LogInput => ({
  address,
  topics,
  data: HexText.read(data)!,
});

function initialized(of: PoolKey): LogInput {
  const [currency0, currency1, hooks] = [`0x${of.currency0}`, `0x${of.currency1}`, `0x${of.hooks}`] as const;
  const topics = encodeEventTopics({
    ...{ abi, eventName: 'Initialize' },
    args: { id: `0x${poolIdOf(of)}`, currency0, currency1 },
  });
  const types = ['uint24', 'int24', 'address', 'uint160', 'int24'].map((type) => ({ type }));
  const data = encodeAbiParameters(types, [of.fee, of.tickSpacing, hooks, 2n ** 96n, 0]);
  return input({ address: `0x${site.factory}`, topics: topics as RawLog['topics'], data });
}
const created = (of: PoolKey): PoolRecord | null => uniswapV4.creations[V4_TOPICS.initialize]!(initialized(of), site);

describe('Uniswap V4', () => {
  it('names its events as the manager does', () => {
    const [initialize, swap, modifyLiquidity, donate] = abi
      .filter((item) => item.type === 'event')
      .map((event) => toEventSelector(event));
    expect(V4_TOPICS).toEqual({ initialize, swap, modifyLiquidity, donate });
  });

  it('reads the swaps of recorded transactions as the pool sees them', () => {
    let swaps = 0;
    for (const { logs, swaps: expected } of recorded) {
      for (const log of logs) {
        const reader = uniswapV4.events[log.topics[0]]!;
        const event = reader.decode(input(log), 3, Number(log.logIndex))!;
        const { args } = decodeEventLog({ abi, topics: log.topics, data: log.data });
        expect(reader.poolIn!(input(log))).toBe(args.id!.slice(2));
        expect(event).toMatchObject({ tx: 3, ordinal: Number(log.logIndex), pool: args.id!.slice(2) });
        if (event.kind === 'liquidity') {
          const { tickLower, tickUpper, liquidityDelta } = args as unknown as Record<string, number | bigint>;
          expect(event).toMatchObject({ tickLower, tickUpper, liquidityDelta, amount0: 0n, amount1: 0n });
        }
        if (event.kind !== 'swap') continue;
        const swap = expected.find(({ logIndex }) => logIndex === event.ordinal)!;
        const sender = withoutPrefix(swap.sender);
        expect(event).toEqual({
          ...{ kind: 'swap', tx: 3, ordinal: swap.logIndex, pool: swap.poolId.slice(2), sender, recipient: sender },
          ...{ amount0: -BigInt(swap.amount0), amount1: -BigInt(swap.amount1) },
          after: {
            sqrtPriceX96: BigInt(swap.sqrtPriceX96After),
            liquidity: BigInt(swap.liquidityAfter),
            tick: swap.tickAfter,
          },
        });
        swaps++;
      }
    }
    expect(swaps).toBe(recorded.reduce((sum, { swaps: list }) => sum + list.length, 0));
    expect(swaps).toBe(21);
  });

  it('names a pool by the hash of its key, and takes the coin for its wrapped form', () => {
    // ETH/USDC 0.05 % on Ethereum, a well-known id.
    expect(poolIdOf(key)).toBe('21c67e77068de97969ba93d4aab21826d33ca12bb9f565d8496e8fda8a82ca27');
    const record = {
      ...{ pool: poolIdOf(key), venue: 'uniswap-v4', kind: 'shared', token0: COIN, token1: TOKEN },
      ...{ feePpm: 500, tickSpacing: 10, created: true },
    };
    expect(created(key)).toEqual(record);
    const reader = uniswapV4.events[V4_TOPICS.initialize]!;
    expect(reader.decode(initialized(key), 1, 2)).toEqual({
      ...{ kind: 'initialize', tx: 1, ordinal: 2, pool: record.pool, sqrtPriceX96: 2n ** 96n, tick: 0 },
    });
    expect(created({ ...key, currency1: COIN })).toBeNull();
    expect(created({ ...key, currency0: '11'.repeat(20) })).toMatchObject({ token0: '11'.repeat(20), kind: 'shared' });
  });

  it.each([
    ['0000000000000000000000000000000000000000', 3_000, 'shared'],
    // before and after swap, without a word in the amounts
    ['00000000000000000000000000000000000000c0', 3_000, 'shared'],
    ['0000000000000000000000000000000000000088', 3_000, 'hooked'],
    ['0000000000000000000000000000000000000044', 3_000, 'hooked'],
    ['0000000000000000000000000000000000000402', 3_000, 'hooked'],
    ['0000000000000000000000000000000000000101', 3_000, 'hooked'],
    // flags are in the low 14 bits alone
    ['ffffffffffffffffffffffffffffffffffffc000', 3_000, 'shared'],
    ['00000000000000000000000000000000000000c0', DYNAMIC_FEE, 'hooked'],
  ])('hooks %s with the fee %s make a %s pool', (hooks, fee, kind) => {
    expect(created({ ...key, hooks, fee })).toMatchObject({ kind, feePpm: fee === DYNAMIC_FEE ? 0 : fee });
    expect(hooksChangeAmounts(hooks, fee)).toBe(kind === 'hooked');
  });

  it('sets a price for a registered launchpad whose hooks are trusted', () => {
    const hooks = '0000000000000000000000000000000000000044';
    const trusting = { ...site, trustedHooks: new Set([hooks]) };
    const decode = uniswapV4.creations[V4_TOPICS.initialize]!;
    expect(decode(initialized({ ...key, hooks }), trusting)).toMatchObject({ kind: 'shared' });
    expect(decode(initialized({ ...key, hooks: hooks.replace('44', '48') }), trusting)).toMatchObject({
      kind: 'hooked',
    });
  });

  it('asks the position manager for the key of an unknown id, and believes the hash alone', () => {
    const pool = poolIdOf(key);
    const [call] = uniswapV4.probe.calls(pool, site);
    const { args } = decodeFunctionData({ abi, data: `0x${call!.data}` });
    expect([call!.to, args]).toEqual([site.contracts.positionManager, [`0x${pool.slice(0, 50)}`]]);
    const answer = (of: PoolKey): string =>
      encodeFunctionResult({
        ...{ abi, functionName: 'poolKeys' },
        result: [`0x${of.currency0}`, `0x${of.currency1}`, of.fee, of.tickSpacing, `0x${of.hooks}`],
      }).slice(2);
    expect(uniswapV4.probe.claim(pool, site, [answer(key)])).toEqual({ ...created(key), created: false });
    expect(uniswapV4.probe.claim(pool, site, [answer({ ...key, hooks: '11'.repeat(20) })])).toBeNull();
    expect(uniswapV4.probe.calls(pool, { ...site, contracts: {} })).toEqual([]);
  });

  it('anchors at the manager’s storage: price, liquidity and ticks', () => {
    const record = created({ ...key, tickSpacing: 60 })!;
    const storage = new Map<bigint, bigint>();
    const slot = (...words: bigint[]): bigint =>
      BigInt(
        keccak256(
          encodeAbiParameters(
            words.map(() => ({ type: 'uint256' })),
            words,
          ),
        ),
      );
    const asWord = (value: bigint): bigint => BigInt.asUintN(256, value);
    const state = slot(BigInt(`0x${record.pool}`), 6n);
    const price = 3374301722044634319770684n;
    // protocol fee and lp fee are above the tick
    storage.set(state, price | (BigInt.asUintN(24, -201_289n) << 160n) | (500n << 208n));
    storage.set(state + 3n, 44_158_988_009_694_642n);
    const ticks = [
      { tick: -887_220, liquidityGross: 7n, liquidityNet: 7n },
      { tick: -201_240, liquidityGross: 9n, liquidityNet: -5n },
      { tick: 887_220, liquidityGross: 2n, liquidityNet: -2n },
    ];
    for (const { tick, liquidityGross, liquidityNet } of ticks) {
      const compressed = BigInt(tick / 60);
      const bitmap = slot(asWord(compressed >> 8n), state + 5n);
      storage.set(bitmap, (storage.get(bitmap) ?? 0n) | (1n << (compressed & 255n)));
      storage.set(slot(asWord(BigInt(tick)), state + 4n), (BigInt.asUintN(128, liquidityNet) << 128n) | liquidityGross);
    }
    const answer = ({ to, data }: { to: string; data: string }): string => {
      expect(to).toBe(site.factory);
      const [slots] = decodeFunctionData({ abi, data: `0x${data}` }).args as unknown as [readonly string[]];
      const result = slots.map(
        (one) => `0x${(storage.get(BigInt(one)) ?? 0n).toString(16).padStart(64, '0')}` as const,
      );
      return encodeFunctionResult({ abi, functionName: 'extsload', result }).slice(2);
    };
    const { anchor } = uniswapV4;
    const answers = anchor.calls(record, site).map(answer);
    const further = anchor.further(record, site, answers).map(answer);
    expect(anchor.read(record, site, answers, further)).toEqual({
      ...{ pool: record.pool, reserve0: 0n, reserve1: 0n },
      concentrated: { sqrtPriceX96: price, tick: -201_289, liquidity: 44_158_988_009_694_642n, ticks },
    });
    expect(anchor.read(record, site, answers, [])).toBeNull();
    expect(anchor.read(record, site, [null, ...answers.slice(1)], further)).toBeNull();
    storage.delete(state);
    expect(anchor.read(record, site, anchor.calls(record, site).map(answer), further)).toBeNull();
  });

  it('is market data only', () => {
    expect([uniswapV4.protocol, uniswapV4.routing]).toEqual(['v4', null]);
  });
});
