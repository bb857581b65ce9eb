import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { evmVenues } from '#libs/chain/venues/evm-registry.js';
import { KnownSetFile } from '#libs/pipeline/state/saved/known-set-file.js';
import type { PoolRecord } from '#libs/protocol/blocks.js';
import { writeOldCopy } from '../test/old-copy.js';
import { KnownSet } from './known-set.js';

const sites = new Map([...evmVenues].map(([name, venue]) => [name, { venue }]));
const id = (n: number): string => n.toString(16).padStart(40, '0');
const pool = (n: number, created: boolean): PoolRecord => ({
  pool: id(n),
  venue: n % 2 === 0 ? 'uniswap-v2' : 'uniswap-v3',
  kind: n % 2 === 0 ? 'constant-product' : 'concentrated',
  token0: id(1000 + n),
  token1: id(2000 + n),
  feePpm: 3000,
  tickSpacing: n % 2 === 0 ? 0 : 60,
  created,
});

function filled(): KnownSet {
  const known = new KnownSet(sites);
  for (let n = 1; n <= 20; n++) {
    known.addPool(pool(n, n % 3 === 0), n * 10);
    known.addToken(id(1000 + n), n * 10);
  }
  known.anchored(id(1), 55);
  known.anchored(id(2), 155);
  known.addForeign(id(500));
  return known;
}

const state = (known: KnownSet): string[] => [...known.rows()].map((row) => JSON.stringify(row)).sort();

describe('known set', () => {
  it('goes back to any height exactly: as if what came after had never been', () => {
    for (let height = 0; height <= 210; height += 5) {
      const known = filled();
      known.rollback(height);
      const fresh = new KnownSet(sites);
      for (let n = 1; n <= 20; n++) {
        if (n * 10 > height) continue;
        fresh.addPool(pool(n, n % 3 === 0), n * 10);
        fresh.addToken(id(1000 + n), n * 10);
      }
      if (height >= 55) fresh.anchored(id(1), 55);
      if (height >= 155) fresh.anchored(id(2), 155);
      fresh.addForeign(id(500));
      expect(state(known)).toEqual(state(fresh));
      const waiting = (set: KnownSet) => [...set.waitingForAnchor(1000)].map((entry) => entry.record.pool).sort();
      expect(waiting(known)).toEqual(waiting(fresh));
    }
  });

  it('answers as of a lower height without going back', () => {
    const known = filled();
    expect(known.knowsPool(id(5), 50)).toBe(true);
    expect(known.knowsPool(id(5), 49)).toBe(false);
    expect(known.knowsToken(id(1005), 49)).toBe(false);
    expect(known.isForeign(id(500))).toBe(true);
    expect([...known.waitingForAnchor(40)].map((entry) => entry.height)).toEqual([20, 40].filter((h) => h !== 20));
  });

  it('names pools that wait for an anchor in turn', () => {
    const known = filled();
    const turns = Array.from({ length: 4 }, () => known.nextToAnchor(100, 2).map(({ pool }) => Number(`0x${pool}`)));
    expect(turns).toEqual([
      [4, 5],
      [7, 8],
      [10, 4],
      [5, 7],
    ]);
    known.anchored(id(8), 100);
    expect(known.nextToAnchor(100, 9).map(({ pool }) => Number(`0x${pool}`))).toEqual([10, 4, 5, 7]);
  });
});

describe('the copy of programs before the store', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'tidepool-known-'));
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));
  const mark = { epoch: 2, seq: 77, kind: 'block' as const, height: 200, hash: 'ab'.repeat(32) };

  it('is read, and gives nothing where nothing was kept', async () => {
    expect(await new KnownSetFile(dir, 'eth').load(new KnownSet(sites))).toBeNull();
    await writeOldCopy(dir, 'eth', mark, filled().rows());
    const known = new KnownSet(sites);
    expect(await new KnownSetFile(dir, 'eth').load(known)).toEqual(mark);
    expect(state(known)).toEqual(state(filled()));
    expect(await new KnownSetFile(dir, 'base').load(new KnownSet(sites))).toBeNull();
  });

  it('gives nothing for a file that was cut off or damaged anywhere', async () => {
    await writeOldCopy(dir, 'eth', mark, filled().rows());
    const path = join(dir, 'eth.known-set.gz');
    const bytes = await readFile(path);
    for (let at = 0; at < bytes.length; at += 7) {
      const damaged = Buffer.from(bytes);
      damaged[at]! ^= 0x55;
      await writeFile(path, at % 2 === 0 ? damaged : bytes.subarray(0, at));
      const known = new KnownSet(sites);
      const found = await new KnownSetFile(dir, 'eth').load(known);
      // A flipped bit of the gzip header's time or flags does no harm; everything else is noticed.
      if (found !== null) expect(state(known)).toEqual(state(filled()));
    }
  });
});
