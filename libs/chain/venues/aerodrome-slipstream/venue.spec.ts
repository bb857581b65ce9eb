import { encodeAbiParameters, parseAbi, toEventSelector } from 'viem';
import type { LogInput } from '#libs/chain/chains/evm/event-decoder.js';
import { HexText } from '#libs/chain/chains/evm/hex-text.js';
import { encodeInt } from '#libs/chain/chains/evm/words.js';
import type { VenueSite } from '#libs/chain/market-ports/evm/evm-venue.js';
import { V3_TOPICS, v3SwapEvent } from '#libs/chain/market-ports/evm/v3-pool/pool-events.js';
import { aerodromeSlipstream, SLIPSTREAM_TOPICS } from './venue.js';

const abi = parseAbi([
  'event PoolCreated(address indexed token0, address indexed token1, int24 indexed tickSpacing, address pool)',
  'event CollectFees(address indexed recipient, uint128 amount0, uint128 amount1)',
]);
const site: VenueSite = {
  venue: aerodromeSlipstream,
  factory: 'fa'.repeat(20),
  contracts: {},
  coin: 'c0'.repeat(20),
  trustedHooks: new Set(),
};
const [token0, token1, pool] = ['11', '22', '33'].map((digits) => digits.repeat(20)) as [string, string, string];
const word = (value: string | number): string => value.toString().padStart(64, '0');
const log = (topics: string[], data: string): LogInput => ({
  address: `0x${site.factory}`,
  topics: topics.map((topic) => (topic.startsWith('0x') ? topic : `0x${topic}`)),
  data: HexText.read(data)!,
});

describe('Aerodrome Slipstream', () => {
  it('names its events as the contract does, and shares the V3 pool’s Swap', () => {
    expect(SLIPSTREAM_TOPICS).toEqual({ poolCreated: toEventSelector(abi[0]), collectFees: toEventSelector(abi[1]) });
    expect(aerodromeSlipstream.events[V3_TOPICS.swap]).toBe(v3SwapEvent[V3_TOPICS.swap]);
    expect(aerodromeSlipstream.events[V3_TOPICS.collectProtocol]).toBeUndefined();
  });

  it.each([
    [1, 100],
    [100, 500],
    [200, 3_000],
    [2_000, 10_000],
    [17, 0],
  ])('records a pool by its tick spacing %s, with the fee it starts with', (tickSpacing, feePpm) => {
    const data = encodeAbiParameters([{ type: 'address' }], [`0x${pool}`]);
    const decode = aerodromeSlipstream.creations[SLIPSTREAM_TOPICS.poolCreated]!;
    const topics = [SLIPSTREAM_TOPICS.poolCreated, word(token0), word(token1), encodeInt(tickSpacing)];
    const record = { pool, venue: 'aerodrome-slipstream', kind: 'concentrated', token0, token1, feePpm, tickSpacing };
    expect(decode(log(topics, data), site)).toEqual({ ...record, created: true });
    expect(decode(log([...topics.slice(0, 3), encodeInt(-tickSpacing)], data), site)).toBeNull();
  });

  it('asks a pool for its fee, and the factory by tick spacing', () => {
    const answers = [site.factory, token0, token1, (445).toString(16), (100).toString(16)].map(word);
    const claim = aerodromeSlipstream.probe.claim(pool, site, answers)!;
    expect(claim).toMatchObject({ feePpm: 445, tickSpacing: 100, created: false });
    expect(aerodromeSlipstream.probe.confirmation(claim, site)).toEqual({
      to: site.factory,
      data: `28af8d0b${word(token0)}${word(token1)}${encodeInt(100)}`,
    });
  });

  it('anchors at a slot0 of six words', () => {
    const record = {
      ...{ pool, venue: 'aerodrome-slipstream', kind: 'concentrated' as const, token0, token1 },
      ...{ feePpm: 500, tickSpacing: 2_000, created: false },
    };
    const calls = aerodromeSlipstream.anchor.calls(record, site);
    const slot0 = [2n ** 96n, 0n, 0n, 1n, 1n, 1n].map((value) => word(value.toString(16))).join('');
    const answers = calls.map((_, at) => (at === 0 ? slot0 : word(at === 1 ? 0 : at < 4 ? 9 : 0)));
    expect(aerodromeSlipstream.anchor.read(record, site, answers, [])).toEqual({
      ...{ pool, reserve0: 9n, reserve1: 9n },
      concentrated: { sqrtPriceX96: 2n ** 96n, tick: 0, liquidity: 0n, ticks: [] },
    });
    expect(aerodromeSlipstream.anchor.read(record, site, [slot0.slice(64), ...answers.slice(1)], [])).toBeNull();
  });

  it('books what the gauge collects out of the pool, and is market data only', () => {
    const amounts = encodeAbiParameters([{ type: 'uint128' }, { type: 'uint128' }], [5n, 7n]);
    const { decode } = aerodromeSlipstream.events[SLIPSTREAM_TOPICS.collectFees]!;
    expect(decode(log([SLIPSTREAM_TOPICS.collectFees, word(token0)], amounts), 1, 2)).toEqual({
      ...{ kind: 'flow', tx: 1, ordinal: 2, pool: site.factory, amount0: -5n, amount1: -7n },
    });
    expect(aerodromeSlipstream.routing).toBeNull();
  });
});
