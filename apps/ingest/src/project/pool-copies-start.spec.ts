import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomHistory } from '#libs/devkit/testing/histories/random-history.js';
import { readCopies } from '#libs/devkit/testing/pools/copy-checks.js';
import { propertySeeds, scaled } from '#libs/devkit/testing/seeded-random.js';
import { openEmbeddedLog } from '#libs/pipeline/event-log/embedded/embedded-log.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { encodePoolCopy, encodePoolMark } from '#libs/protocol/codec/pool-copy-codec.js';
import { POOL_MARK_KEY } from '#libs/protocol/pool-copy.js';
import { ChainUnderTest } from './test/chain-under-test.js';

let dir = '';
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'tidepool-pool-copies-start-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe('a start of the fold', () => {
  const chain = 'restarted';
  let log: EventLog;
  let under: ChainUnderTest;
  /** Reads of all copies at once, by anyone and by the fold. */
  let reads = 0;
  let compared = 0;
  /** Starts that had no state to continue from: these do not know what the topic holds. */
  let anew = 0;
  let continued = 0;
  const fold = async (killAt?: number) => {
    const before = reads;
    if ((await under.committed()) > 0) continued++;
    else anew++;
    await under.fold(killAt);
    compared += reads - before;
  };
  /** The first 80 groups are folded; `seed` draws how the chain went. */
  const begin = async (seed: number) => {
    const name = `${chain}${seed}`;
    under = new ChainUnderTest(log, name, randomHistory(seed, { chain: name, groups: 120, retractions: 0.1 }).groups);
    await under.append(80);
    await under.fold();
  };
  beforeEach(async () => {
    const own = await openEmbeddedLog({ dir: mkdtempSync(join(dir, 'restarted-')) });
    log = Object.create(own, {
      readCompacted: {
        value: (topic: { name: string }) => {
          if (topic.name === under.pools.name) reads++;
          return own.readCompacted(topic as never);
        },
      },
    });
    // The first history that leaves a state to continue from.
    let seed = 11;
    do await begin(seed++);
    while ((await under.committed()) === 0);
    compared = 0;
  });
  afterEach(() => log.close());

  const overwrite = async (records: { key: string; value: Uint8Array | null }[]) => {
    const writer = await log.openWriter('forger');
    await writer.append(records.map((record) => ({ topic: under.pools, ...record })));
    await writer.close();
  };
  /** A copy of a pool that is not as facts left it. */
  const forged = async () => {
    const [copy] = (await readCopies(log, under.pools)).copies;
    const { record, state } = copy!;
    return encodePoolCopy({ seq: under.end, record, state: { ...state, reserve0: state.reserve0 + 1n } });
  };

  it('publishes what changed since a mark that names the head of its seq, and reads no copies at once', async () => {
    const offset = async () => (await log.readKeyed(under.pools, 0, 0n, 10_000)).at(-1)!.offset;
    for (const seed of [0, ...propertySeeds(scaled(40, 4), 101)]) {
      if (seed > 0) await begin(seed);
      [compared, anew] = [0, 0];
      const before = await offset();
      await fold();
      expect({ seed, records: Number((await offset()) - before) }).toEqual({ seed, records: 1 }); // the mark
      await under.append(40);
      await fold(60);
      await fold();
      await under.check();
      expect({ seed, compared }).toEqual({ seed, compared: anew });
      const { mark, copies } = await readCopies(log, under.pools);
      expect([mark!.seq, copies.length]).toEqual([under.end, under.states[under.end]!.length]);
    }
    expect(continued).toBeGreaterThan(0);
  });

  it('compares all copies when the mark names another block or is older than the state, or there is none', async () => {
    const { mark } = await readCopies(log, under.pools);
    const wrong = [encodePoolMark({ ...mark!, hash: 'ee'.repeat(32) }), encodePoolMark({ ...mark!, seq: 1 }), null];
    for (const value of wrong) {
      compared = 0;
      await overwrite([...(await forged()), { key: POOL_MARK_KEY, value }]);
      await expect(under.check()).rejects.toThrow();
      await fold();
      await under.check();
      expect(compared).toBe(1);
    }
  });

  it('compares all copies when facts end before the mark', async () => {
    const { mark } = await readCopies(log, under.pools);
    const seq = mark!.seq + 5;
    await overwrite([...(await forged()), { key: POOL_MARK_KEY, value: encodePoolMark({ ...mark!, seq }) }]);
    await fold();
    await under.check();
    expect(compared).toBe(1);
  });
});
