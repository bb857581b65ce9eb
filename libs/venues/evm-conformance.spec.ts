import { readdirSync } from 'node:fs';
import { HexText } from '#libs/chains/evm/hex-text.js';
import { isHex } from '#libs/core/ids.js';
import type { EvmVenue, VenueSite } from '#libs/market-ports/evm/evm-venue.js';
import { poolEventTable, registerVenues } from '#libs/market-ports/evm/venue-registry.js';
import { poolKinds } from '#libs/protocol/blocks.js';
import { evmVenues } from './evm-registry.js';

const TOPIC = /^0x[0-9a-f]{64}$/;
const venues = [...evmVenues.values()].map((venue): [string, EvmVenue] => [venue.venue, venue]);

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
