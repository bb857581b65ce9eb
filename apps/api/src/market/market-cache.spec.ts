import { seeds, servedMarket, temporaryStore } from '#libs/devkit/testing/market/market-harness.js';
import { takeView, written } from '#libs/devkit/testing/market/written-market.js';
import { SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import { until } from '#libs/devkit/testing/until.js';
import type { AnalyticsStore } from '#libs/pipeline/store/store.js';
import type { ChainReader } from '#libs/serve/reader/chain-reader.js';
import type { ChainView } from '#libs/serve/reader/chain-view.js';
import { MarketCache } from './market-cache.js';

/** What requests get while the next market is read, by a clock of the spec. */
describe.each(seeds(2))('the market that is kept (seed %i)', (seed) => {
  let store: AnalyticsStore;
  let dispose: () => Promise<void>;
  let views: [older: ChainView, newer: ChainView];
  beforeAll(async () => {
    ({ store, dispose } = await temporaryStore());
    const market = servedMarket(seed, { family: 'evm', groups: 40, retractions: 0 });
    const { checkpoints, reads } = await written(store, market, 1, new SeededRandom(seed));
    const last = market.facts.length - 1;
    const at = (position: number): ChainView =>
      takeView(market, checkpoints.findLast(({ seq }) => seq <= position)!, reads, position)!;
    views = [at(last - 3), at(last)];
  });
  afterAll(() => dispose());

  /** The cache at the older view, read a second ago; `prepared` says which markets were prepared, `release` lets one end. */
  async function cacheAt(first: ChainView) {
    let [view, now] = [first, 0];
    let release: (error?: Error) => void = () => undefined;
    let begun: () => void = () => undefined;
    const preparing = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const prepared: number[] = [];
    const reader = { chain: first.chain, view: () => view } as unknown as ChainReader;
    const warned: string[] = [];
    const logger = {
      info: () => undefined,
      warn: (_: object, text: string) => void warned.push(text),
      error: () => undefined,
    };
    const prepare = ({ view: { pin } }: { view: ChainView }): Promise<void> => {
      prepared.push(pin.seq);
      begun();
      return new Promise((resolve, reject) => {
        release = (error) => (error === undefined ? resolve() : reject(error));
      });
    };
    const cache = new MarketCache(reader, logger, prepare, () => now);
    const seqNow = async (): Promise<number> => (await cache.current()).view.pin.seq;
    expect(await seqNow()).toBe(first.pin.seq);
    return {
      ...{ seqNow, prepared, preparing, warned },
      /** A block came, and so much time is over. */
      move: (to: ChainView, ms: number) => {
        [view, now] = [to, now + ms];
      },
      release: (error?: Error) => release(error),
    };
  }

  it('is shown until the next one is read and prepared', async () => {
    const [older, newer] = views;
    const { seqNow, move, prepared, preparing, release } = await cacheAt(older);
    expect(prepared).toEqual([]);
    move(newer, 499);
    expect(await seqNow()).toBe(older.pin.seq);
    move(newer, 2);
    expect(await seqNow()).toBe(older.pin.seq);
    await preparing;
    expect(prepared).toEqual([newer.pin.seq]);
    expect(await seqNow()).toBe(older.pin.seq);
    release();
    let shown = older.pin.seq;
    await until(
      async () => {
        shown = await seqNow();
        return shown !== older.pin.seq;
      },
      { everyMs: 0 },
    );
    expect(shown).toBe(newer.pin.seq);
    expect(prepared).toEqual([newer.pin.seq]);
  });

  it('is waited for once the one before is too old, and not prepared', async () => {
    const [older, newer] = views;
    const { seqNow, move, prepared } = await cacheAt(older);
    move(newer, 1_501);
    expect(await Promise.all([seqNow(), seqNow()])).toEqual([newer.pin.seq, newer.pin.seq]);
    expect(prepared).toEqual([]);
  });

  it('is shown on when the next one fails, and that is logged', async () => {
    const [older, newer] = views;
    const { seqNow, move, preparing, release, warned } = await cacheAt(older);
    move(newer, 501);
    expect(await seqNow()).toBe(older.pin.seq);
    await preparing;
    release(new Error('no list'));
    await until(() => warned.length > 0, { everyMs: 0 });
    expect(await seqNow()).toBe(older.pin.seq);
  });
});
