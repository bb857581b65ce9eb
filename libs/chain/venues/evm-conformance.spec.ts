import { readdirSync } from 'node:fs';
import { HexText } from '#libs/chain/chains/evm/hex-text.js';
import type { EvmVenueModule, VenueSite } from '#libs/chain/market-ports/evm/evm-venue.js';
import { poolEventTable, registerVenues } from '#libs/chain/market-ports/evm/venue-registry.js';
import { isHex } from '#libs/core/ids.js';
import { propertySeeds, SeededRandom, scaled } from '#libs/devkit/testing/seeded-random.js';
import { type ChainEvent, type PoolRecord, poolKinds } from '#libs/protocol/blocks.js';
import { encodeBlocksGroup } from '#libs/protocol/codec/blocks-codec.js';
import { evmVenues } from './evm-registry.js';

const TOPIC = /^0x[0-9a-f]{64}$/;
const venues = [...evmVenues.values()].map((venue): [string, EvmVenueModule] => [venue.venue, venue]);

/** Where the types of contracts and tables end. */
const BITS = [8n, 16n, 24n, 31n, 32n, 64n, 112n, 128n, 160n, 255n, 256n];

function anyWord(random: SeededRandom): string {
  const word = (value: bigint) => BigInt.asUintN(256, value).toString(16).padStart(64, '0');
  switch (random.int(0, 4)) {
    case 0:
      return word((1n << random.pick(BITS)) - BigInt(random.int(0, 2)));
    case 1:
      return word(-(1n << (random.pick(BITS) - 1n)) + BigInt(random.int(-1, 1)));
    case 2:
      return word(BigInt(random.int(-887_272, 887_272)));
    case 3:
      return word(random.bits(160));
    default:
      return word(BigInt(random.int(0, 3)));
  }
}

/** Logs with every number of topics and words that an event of a venue has; two of each shape say 1, 2, 3 ... and 1, 2, 1 ... */
function* anyLogs(random: SeededRandom, topic: string) {
  for (let topics = 0; topics <= 3; topics++) {
    for (let data = 0; data <= 10; data++) {
      for (let times = 0; times < 10; times++) {
        let n = 0;
        const small = () => (times === 0 ? ++n : (n++ % 2) + 1);
        const next = () => (times < 2 ? small().toString(16).padStart(64, '0') : anyWord(random));
        const words = (count: number) => Array.from({ length: count }, next);
        yield {
          address: `0x${random.hex(20)}`,
          topics: [topic, ...words(topics).map((each) => `0x${each}`)],
          data: HexText.read(`0x${words(data).join('')}`)!,
        };
      }
    }
  }
}

/** The length of a block of the log with these; it throws where the log has no place for them. */
function inLog(pools: PoolRecord[], events: ChainEvent[], random: SeededRandom): number {
  const tx = { id: random.hex(32), index: 0, sender: random.hex(20) };
  const [hash, parentHash] = [random.hex(32), random.hex(32)];
  return encodeBlocksGroup({
    ...{ kind: 'block', chain: 'eth', epoch: 1, seq: 1, height: 1, hash, parentHash, time: 1, source: 'http' },
    ...{ observedAt: 0, txs: [tx], tokens: [], pools, events, anchors: [] },
  }).length;
}

/** What every venue of the registry must be, whatever it is. */
describe.each(venues)('%s', (name, venue) => {
  const site: VenueSite = {
    venue,
    factory: 'fa'.repeat(20),
    contracts: { positionManager: 'bb'.repeat(20), router: 'cc'.repeat(20), quoter: 'dd'.repeat(20) },
    coin: 'c0'.repeat(20),
    trustedHooks: new Set(),
  };
  const isSingleton = Object.values(venue.events).some(({ poolIn }) => poolIn !== undefined);
  const pool = (isSingleton ? 'ab' : 'ab').repeat(isSingleton ? 32 : 20);
  const empty = (topic: string) => ({ address: `0x${site.factory}`, topics: [topic], data: HexText.read('0x')! });

  it('is a folder of its name, with a label that is its own', () => {
    expect(readdirSync(new URL('.', import.meta.url))).toContain(name);
    expect(venues.filter(([, other]) => other.label === venue.label)).toHaveLength(1);
    expect(venue.protocol).toMatch(/^[a-z][a-z0-9]*$/);
    expect(Number.isSafeInteger(venue.revision) && venue.revision >= 0).toBe(true);
  });

  it('hears one kind of emitter: each pool, or the one contract that holds them all', () => {
    const speakers = Object.values(venue.events).map(({ poolIn }) => poolIn !== undefined);
    expect(new Set(speakers).size).toBe(1);
  });

  it('reads topics, and gives null for a log of another shape', () => {
    expect(Object.keys(venue.creations).length).toBeGreaterThan(0);
    expect(Object.keys(venue.events).length).toBeGreaterThan(1);
    for (const [topic, decode] of Object.entries(venue.creations)) {
      expect(topic).toMatch(TOPIC);
      expect(decode(empty(topic), site)).toBeNull();
    }
    for (const [topic, reader] of Object.entries(venue.events)) {
      expect(topic).toMatch(TOPIC);
      expect(reader.decode(empty(topic), 0, 0)).toBeNull();
      expect(reader.poolIn?.(empty(topic)) ?? null).toBeNull();
    }
  });

  it('asks about a candidate, believes no silence and no revert', () => {
    const calls = venue.probe.calls(pool, site);
    expect(calls.length).toBeGreaterThan(0);
    for (const { to, data } of calls) expect([isHex(to, 20), /^[0-9a-f]{8,}$/.test(data)]).toEqual([true, true]);
    for (const silent of [null, '', '00', '0'.repeat(64), 'f'.repeat(64)]) {
      expect(venue.probe.claim(pool, site, new Array(calls.length).fill(silent))).toBeNull();
    }
  });

  it('anchors at nothing where answers are missing', () => {
    const record = {
      ...{ pool, venue: name, kind: 'concentrated' as const, token0: '11'.repeat(20), token1: '22'.repeat(20) },
      ...{ feePpm: 3_000, tickSpacing: 200, created: false },
    };
    const calls = venue.anchor.calls(record, site);
    expect(calls.length).toBeGreaterThan(0);
    const missing = new Array<null>(calls.length).fill(null);
    expect(venue.anchor.further(record, site, missing)).toEqual([]);
    expect(venue.anchor.read(record, site, missing, [])).toBeNull();
  });

  it('reads words of any value: what it makes of them goes into the log, and nothing is thrown', () => {
    const heard = new Set<string>();
    for (const seed of propertySeeds(scaled(30, 2))) {
      const random = new SeededRandom(seed);
      for (const [topic, decode] of Object.entries(venue.creations)) {
        for (const log of anyLogs(random, topic)) {
          const record = decode(log, site);
          if (record === null) continue;
          heard.add(topic);
          expect(poolKinds).toHaveProperty(record.kind);
          expect(inLog([record], [], random)).toBeGreaterThan(0);
        }
      }
      for (const [topic, reader] of Object.entries(venue.events)) {
        for (const log of anyLogs(random, topic)) {
          reader.poolIn?.(log);
          const event = reader.decode(log, 0, 0);
          if (event === null) continue;
          heard.add(topic);
          expect(inLog([], [event], random)).toBeGreaterThan(0);
        }
      }
    }
    expect([...heard].sort()).toEqual(Object.keys({ ...venue.creations, ...venue.events }).sort());
  });

  it('may stand beside every other venue', () => {
    expect(() => poolEventTable([...evmVenues.values()])).not.toThrow();
    expect(() => registerVenues([...evmVenues.values(), venue])).toThrow(`venue ${name} registered twice`);
  });
});

describe('kinds of pools', () => {
  it('that name their amounts as liquidity state their price', () => {
    for (const traits of Object.values(poolKinds)) {
      if (traits.amounts === 'liquidity') expect(traits.statesPrice).toBe(true);
    }
  });
});
