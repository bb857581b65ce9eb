import { HexText } from '#libs/chain/chains/evm/hex-text.js';
import type { VenueSite } from '#libs/chain/market-ports/evm/evm-venue.js';
import { poolEventTable } from '#libs/chain/market-ports/evm/venue-registry.js';
import { evmVenues } from '#libs/chain/venues/evm-registry.js';
import { propertySeeds, SeededRandom, scaled } from '#libs/devkit/testing/seeded-random.js';
import type { ChainEvent, PoolRecord } from '#libs/protocol/blocks.js';
import { encodeBlocksGroup } from '#libs/protocol/codec/blocks-codec.js';
import { launchpadNames } from '#libs/serve/contract/rest/market-queries.js';
import { evmCurves, evmLaunchpads } from './evm-registry.js';

const BITS = [8n, 24n, 32n, 64n, 128n, 160n, 255n, 256n];

function anyWord(random: SeededRandom): string {
  const roll = random.int(0, 3);
  const value =
    roll === 0
      ? (1n << random.pick(BITS)) - BigInt(random.int(0, 2))
      : roll === 1
        ? -(1n << (random.pick(BITS) - 1n))
        : random.bits(roll === 2 ? 160 : 40);
  return BigInt.asUintN(256, value).toString(16).padStart(64, '0');
}

/** It throws where the log has no place for them. */
function inLog(pools: PoolRecord[], events: ChainEvent[], random: SeededRandom): number {
  const tx = { id: random.hex(32), index: 0, sender: random.hex(20) };
  return encodeBlocksGroup({
    ...{ kind: 'block', chain: 'eth', epoch: 1, seq: 1, height: 1, hash: random.hex(32), parentHash: random.hex(32) },
    ...{ time: 1, source: 'http', observedAt: 0, txs: [tx], tokens: [], pools, events, anchors: [] },
  }).length;
}

describe('launchpads of EVM chains', () => {
  it('are in the one list of names, and share no topic with a venue that reads it otherwise', () => {
    for (const name of evmLaunchpads.keys()) expect(launchpadNames).toContain(name);
    expect(poolEventTable([...evmVenues.values(), ...evmCurves.values()]).size).toBeGreaterThan(evmCurves.size);
    for (const name of evmCurves.keys()) expect(evmVenues.has(name)).toBe(false);
  });

  it.each([...evmCurves.keys()])('%s reads words of any value: what it makes of them goes into the log', (name) => {
    const venue = evmCurves.get(name)!;
    const site: VenueSite = {
      ...{ venue, factory: 'fa'.repeat(20), contracts: {}, coin: 'c0'.repeat(20), trustedHooks: new Set<string>() },
    };
    const heard = new Set<string>();
    for (const seed of propertySeeds(scaled(30, 3))) {
      const random = new SeededRandom(seed);
      for (let n = 0; n < 3_000; n++) {
        const topic = random.pick(Object.keys(venue.events));
        const words = (count: number) => Array.from({ length: count }, () => anyWord(random));
        const log = {
          address: `0x${random.hex(20)}`,
          topics: [topic, ...words(random.int(0, 3)).map((each) => `0x${each}`)],
          data: HexText.read(`0x${words(random.int(0, 5)).join('')}`)!,
        };
        venue.events[topic]!.poolIn?.(log);
        const record = venue.creations[topic]?.(log, site) ?? null;
        const event = venue.events[topic]!.decode(log, 0, 0);
        if (record === null && event === null) continue;
        heard.add(topic);
        expect(inLog(record === null ? [] : [record], event === null ? [] : [event], random)).toBeGreaterThan(0);
      }
    }
    expect([...heard].sort()).toEqual(Object.keys(venue.events).sort());
    const record = { pool: 'ab'.repeat(20), venue: name, kind: 'curve', token0: '11'.repeat(20), token1: site.coin };
    const calls = venue.anchor.calls({ ...record, feePpm: 0, tickSpacing: 0, created: false } as PoolRecord, site);
    const missing = new Array<null>(calls.length).fill(null);
    expect(venue.anchor.read(record as never, site, missing, [])).toBeNull();
  });
});
