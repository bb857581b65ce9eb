import { readFileSync } from 'node:fs';
import { encodeAbiParameters, parseAbi, toEventSelector } from 'viem';
import type { LogInput } from '#libs/chain/chains/evm/event-decoder.js';
import { HexText } from '#libs/chain/chains/evm/hex-text.js';
import type { VenueSite } from '#libs/chain/market-ports/evm/evm-venue.js';
import { SOLIDLY_TOPICS } from './events.js';
import { aerodrome } from './venue.js';

interface RawLog {
  address: string;
  topics: string[];
  data: string;
  logIndex: string;
}
interface RecordedSwap {
  logIndex: number;
  pool: string;
  amount0In: string;
  amount1In: string;
  amount0Out: string;
  amount1Out: string;
  sender: string;
  to: string;
  reserve0After: string;
  reserve1After: string;
}
const recorded: { transactionHash: string; logs: RawLog[]; swaps: RecordedSwap[] }[] = JSON.parse(
  readFileSync(new URL('./fixtures/swaps.json', import.meta.url), 'utf8'),
);

const abi = parseAbi([
  'event PoolCreated(address indexed token0, address indexed token1, bool indexed stable, address pool, uint256 count)',
  'event Swap(address indexed sender, address indexed to, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out)',
  'event Sync(uint256 reserve0, uint256 reserve1)',
  'event Burn(address indexed sender, address indexed to, uint256 amount0, uint256 amount1)',
]);
const site: VenueSite = {
  venue: aerodrome,
  factory: 'fa'.repeat(20),
  contracts: {},
  coin: 'c0'.repeat(20),
  trustedHooks: new Set(),
};
const input = ({ address, topics, data }: Omit<RawLog, 'logIndex'>): LogInput => ({
  address,
  topics,
  data: HexText.read(data)!,
});
const word = (value: string | number): string => value.toString().padStart(64, '0');

describe('Aerodrome', () => {
  it('names its events as the contract does', () => {
    const byName = Object.fromEntries(abi.map((event) => [event.name, toEventSelector(event)]));
    expect(SOLIDLY_TOPICS).toEqual({
      poolCreated: byName.PoolCreated,
      swap: byName.Swap,
      sync: byName.Sync,
      burn: byName.Burn,
    });
  });

  it('reads the swaps of recorded transactions, and the reserves that each leaves', () => {
    let swaps = 0;
    for (const { transactionHash, logs, swaps: expected } of recorded) {
      const events = logs.flatMap((log) => {
        const reader = aerodrome.events[log.topics[0]!];
        return reader ? [reader.decode(input(log), 0, Number(log.logIndex))] : [];
      });
      expect({ transactionHash, missing: events.filter((event) => event === null) }).toEqual({
        transactionHash,
        missing: [],
      });
      for (const swap of expected) {
        const at = events.findIndex((event) => event!.kind === 'swap' && event!.ordinal === swap.logIndex);
        expect(events[at]).toEqual({
          ...{ kind: 'swap', tx: 0, ordinal: swap.logIndex, pool: swap.pool.slice(2), after: null },
          amount0: BigInt(swap.amount0In) - BigInt(swap.amount0Out),
          amount1: BigInt(swap.amount1In) - BigInt(swap.amount1Out),
          sender: swap.sender.slice(2).toLowerCase(),
          recipient: swap.to.slice(2).toLowerCase(),
        });
        expect(events[at - 1]).toMatchObject({
          ...{ kind: 'reserves', pool: swap.pool.slice(2) },
          reserve0: BigInt(swap.reserve0After),
          reserve1: BigInt(swap.reserve1After),
        });
        swaps++;
      }
      expect(events.filter((event) => event!.kind === 'swap')).toHaveLength(expected.length);
    }
    expect(swaps).toBe(11);
  });

  it.each([
    [1, 'stable', 500],
    [0, 'constant-product', 3_000],
  ] as const)('records a pool with stable = %s as %s', (stable, kind, feePpm) => {
    const [token0, token1, pool] = ['11', '22', '33'].map((digits) => digits.repeat(20)) as [string, string, string];
    const log = {
      address: `0x${site.factory}`,
      topics: [SOLIDLY_TOPICS.poolCreated, ...[token0, token1, stable].map((value) => `0x${word(value)}`)],
      data: encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [`0x${pool}`, 7n]),
    };
    const record = { pool, venue: 'aerodrome', kind, token0, token1, feePpm, tickSpacing: 0, created: true };
    expect(aerodrome.creations[SOLIDLY_TOPICS.poolCreated]!(input(log), site)).toEqual(record);
    const answers = [site.factory, token0, token1, stable].map(word);
    expect(aerodrome.probe.claim(pool, site, answers)).toEqual({ ...record, created: false });
    expect(aerodrome.probe.confirmation(record, site)).toEqual({
      to: site.factory,
      data: `79bc57d5${word(token0)}${word(token1)}${word(stable)}`,
    });
    const strange = { ...log, topics: [...log.topics.slice(0, 3), `0x${word(2)}`] };
    expect(aerodrome.creations[SOLIDLY_TOPICS.poolCreated]!(input(strange), site)).toBeNull();
    expect(aerodrome.probe.claim(pool, site, [...answers.slice(0, 3), word(2)])).toBeNull();
    expect(aerodrome.probe.claim(pool, site, [word('fb'.repeat(20)), ...answers.slice(1)])).toBeNull();
  });

  it('is market data only', () => {
    expect([aerodrome.protocol, aerodrome.routing]).toEqual(['solidly', null]);
  });
});
