import { randomBytes } from 'node:crypto';
import type { Hex } from '#libs/core/ids.js';
import { seeds } from '#libs/devkit/testing/market/market-harness.js';
import { marketWith } from '#libs/devkit/testing/market/market-with.js';
import { NaiveMarket } from '#libs/devkit/testing/market/naive-market.js';
import { SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import { bucketEnd } from '#libs/pipeline/fold/candles.js';
import type { TradeFact } from '#libs/protocol/facts.js';
import { ApiHarness, type Reply } from './api-harness.js';

/**
 * Walks of pages while blocks arrive, blocks are retracted, tables catch up and candles are sealed: each walk shows
 * exactly what its first page's block showed, every row once.
 */
const walked = { trades: 0, candles: 0, furtherPages: 0, ranges: 0, purged: 0 };
const every = seeds(10);

describe.each(every)('paging over a moving chain (seed %i)', (seed) => {
  // Many trades of a token at different times, and a last retraction with trades below it.
  const market = marketWith(seed, { groups: 110, retractions: 0.15, deepest: 20 }, (now, { chain, facts }) => {
    const before = facts.findLastIndex(({ kind }) => kind === 'retract') - 1;
    const then = new NaiveMarket(chain, facts, before);
    const [first, second] = then
      .tokens()
      .map(({ token }) => then.trades(token).length)
      .sort((a, b) => b - a);
    const ranged = now.tokens().some(({ token }) => {
      const all = now.trades(token);
      return all.length > 9 && all[1]!.time > all[all.length - 2]!.time;
    });
    return before > 20 && first! > 3 && second !== undefined && ranged;
  });
  const last = market.facts.length - 1;
  let harness: ApiHarness;
  beforeEach(async () => {
    harness = await ApiHarness.start(market);
  });
  afterEach(async () => {
    expect(harness.problems).toEqual([]);
    await harness.close();
  });

  /** Moves the chain on by a few groups, and the tables by some. */
  async function move(random: SeededRandom): Promise<void> {
    const at = harness.live.lastSeq;
    if (at < last && random.chance(0.8)) {
      const next = Math.min(last, at + random.int(1, 6));
      await harness.advance(next, random.int(harness.sink.checkpoint.seq, next));
    }
    if (random.chance(0.3)) await harness.sink.seal();
  }

  async function walk(random: SeededRandom, path: string): Promise<{ pages: Reply[]; seq: number }> {
    // A history may go back to before its first block: then there is nothing to page through.
    while (new NaiveMarket(market.chain, market.facts, harness.live.lastSeq).blocks.length === 0) {
      if (harness.live.lastSeq === last) return { pages: [], seq: last };
      await move(random);
    }
    const pages = [await harness.get(path)];
    if (pages[0]!.status === 404) return { pages: [], seq: harness.live.lastSeq };
    const seq = harness.live.lastSeq;
    for (;;) {
      const page = pages[pages.length - 1]!;
      expect({ path, status: page.status, error: page.body.error }).toEqual({ path, status: 200, error: undefined });
      if (page.body.next === null) return { pages, seq };
      await move(random);
      pages.push(await harness.get(`${path}&cursor=${page.body.next}`));
      walked.furtherPages++;
    }
  }

  it('neither loses nor repeats a trade or a candle', async () => {
    const random = new SeededRandom(seed);
    await harness.advance(40, 20);
    for (let round = 0; round < 4 || (round < 40 && Math.min(walked.trades, walked.candles) === 0); round++) {
      const now = new NaiveMarket(market.chain, market.facts, harness.live.lastSeq);
      const traded = now.tokens().filter(({ token }) => now.trades(token).length > 0);
      if (traded.length === 0) {
        await move(random);
        continue;
      }
      const { token } = random.pick(traded);
      const { query, keeps } = filterOf(random, token, random.pick(now.trades(token)).wallet);
      const trades = await walk(random, `/tokens/eth/0x${token}/trades?limit=${random.int(1, 9)}${query}`);
      const then = new NaiveMarket(market.chain, market.facts, trades.seq);
      const shown = trades.pages.flatMap((page) => page.body.data);
      if (trades.pages.length === 0) expect(then.tokens().some((known) => known.token === token)).toBe(false);
      const kept = then.trades(token).filter(keeps);
      expect(shown.map((row) => row.id)).toEqual(kept.map((trade) => `0x${trade.tx}-${trade.txOrdinal}`));
      walked.trades += shown.length;
      for (const page of trades.pages) expect(page.body.meta).toEqual(trades.pages[0]!.body.meta);
      const shownHead = trades.pages[0]?.body.meta;
      if (shownHead) expect(shownHead).toMatchObject({ block: then.head.height, blockHash: `0x${then.head.hash}` });

      const interval = random.pick(['5s', '1m', '15m', '1h', '1d'] as const);
      const candles = await walk(
        random,
        `/tokens/eth/0x${token}/candles?interval=${interval}&limit=${random.int(1, 9)}`,
      );
      const market2 = new NaiveMarket(market.chain, market.facts, candles.seq);
      const rows = candles.pages.toReversed().flatMap((page) => page.body.data);
      const expected = market2.candles(token, interval);
      walked.candles += rows.length;
      expect(rows.map((row) => [row.time, row.trades, row.buys])).toEqual(
        expected.map((candle) => [candle.time, candle.trades, candle.buys]),
      );
      if (rows.length > 0) expect(bucketEnd(interval, rows.at(-1).time)).toBeGreaterThan(expected.at(-1)!.time);
    }
  });

  it('starts below `to`, ends at `from`, and says when nothing is left', async () => {
    const random = new SeededRandom(seed + 1);
    await harness.advance(last, Math.floor(last / 2));
    const now = new NaiveMarket(market.chain, market.facts, last);
    for (const { token } of now.tokens()) {
      const all = now.trades(token);
      if (all.length < 3) continue;
      const [newest, oldest] = [all[1]!.time, all[all.length - 2]!.time];
      if (oldest >= newest) continue;
      const path = `/tokens/eth/0x${token}/trades?from=${oldest}&to=${newest}&limit=${random.int(1, 5)}`;
      const { pages } = await walk(random, path);
      const shown = pages.flatMap((page) => page.body.data.map((row: { id: string }) => row.id));
      const inside = all.filter((trade) => trade.time >= oldest && trade.time < newest);
      expect(shown).toEqual(inside.map((trade) => `0x${trade.tx}-${trade.txOrdinal}`));
      if (inside.length > 0) walked.ranges++;
    }
  });

  it('gives no page that is signed with a secret that signs no more', async () => {
    await harness.advance(last, last);
    const now = new NaiveMarket(market.chain, market.facts, last);
    const { token } = now.tokens().find((each) => now.trades(each.token).length > 3)!;
    const trades = `/tokens/eth/0x${token}/trades?limit=1`;
    const paths = [trades, `${trades}&cursor=${(await harness.get(trades)).body.next}`, '/screener?limit=1'];
    const before = await Promise.all(paths.map((path) => harness.get(path)));
    harness.secrets = [randomBytes(32), ...harness.secrets];
    // The chain makes no block: all else is the same.
    const after = await Promise.all(
      paths.map((path, n) => harness.get(path, { headers: { 'if-none-match': before[n]!.headers.get('etag')! } })),
    );
    // A day later.
    harness.secrets = harness.secrets.slice(0, 1);
    for (const [n, path] of paths.entries()) {
      expect([path, after[n]!.status, before[n]!.body.next]).toEqual([path, 200, expect.any(String)]);
      expect(after[n]!.body.data).toEqual(before[n]!.body.data);
      const next = async (reply: Reply) =>
        (await harness.get(`${path.replace(/&cursor=.*/, '')}&cursor=${reply.body.next}`)).status;
      expect([path, await next(before[n]!), await next(after[n]!)]).toEqual([path, 400, 200]);
    }
  });

  it('refuses a cursor that is not of this request, was changed, or is outdated', async () => {
    // The pages are just below the last retraction, which takes rows from them.
    const before = market.facts.findLastIndex(({ kind }) => kind === 'retract') - 1;
    await harness.advance(before, 20);
    const now = new NaiveMarket(market.chain, market.facts, before);
    const ranked = now.tokens().map(({ token }) => ({ token, count: now.trades(token).length }));
    const [first, second] = ranked.sort((a, b) => b.count - a.count);
    const path = `/tokens/eth/0x${first!.token}/trades?limit=1`;
    const { next } = (await harness.get(path)).body;
    const refused = async (asked: string) => {
      const reply = await harness.get(asked);
      expect({ asked, status: reply.status, code: reply.body.error?.code }).toEqual({
        asked,
        status: 400,
        code: 'bad_request',
      });
      expect(reply.body.error.message).toContain('start again from the first page');
    };
    expect((await harness.get(`${path}&cursor=${next}`)).status).toBe(200);
    await refused(`/tokens/eth/0x${second!.token}/trades?limit=1&cursor=${next}`);
    await refused(`${path}&from=1600000000000&cursor=${next}`);
    await refused(`${path}&asOfBlock=${now.head.height}&cursor=${next}`);
    await refused(`/tokens/eth/0x${first!.token}/candles?limit=1&cursor=${next}`);
    await refused(`${path}&cursor=${next.slice(0, -1)}`);
    await refused(`${path}&cursor=${next.slice(0, 20)}${next[20] === 'A' ? 'B' : 'A'}${next.slice(21)}`);
    // A page may be of another size than the one before.
    const single = (await harness.get(`${path}&cursor=${next}`)).body;
    const wider = (await harness.get(`/tokens/eth/0x${first!.token}/trades?limit=3&cursor=${next}`)).body;
    expect(wider.data.length).toBeGreaterThan(1);
    expect(wider.data[0]).toEqual(single.data[0]);
    // The same names another way are the same request.
    const other = path.replace('/eth/', '/Ethereum/');
    expect((await harness.get(`/v1${other}&cursor=${next}`)).status).toBe(200);

    // Rows that the pinned view still showed are purged.
    await harness.advance(last, last);
    const retracted = harness.sink.checkpoint.retracted.filter(({ retractSeq }) => retractSeq > before);
    expect(retracted).not.toEqual([]);
    await harness.sink.purge();
    await harness.advance(last, last);
    await refused(`${path}&cursor=${next}`);
    walked.purged++;
  });
});

/** Of few of the trades, sometimes: then a page is short and the list continues. */
function filterOf(random: SeededRandom, token: Hex, wallet: Hex) {
  const isBuy = ({ base, side }: TradeFact): boolean => (side === 'buy') === (base === token);
  return random.pick<{ query: string; keeps: (trade: TradeFact) => boolean }>([
    { query: '', keeps: () => true },
    { query: '&side=buy', keeps: isBuy },
    { query: '&side=sell', keeps: (trade) => !isBuy(trade) },
    { query: `&wallet=0x${wallet}`, keeps: (trade) => trade.wallet === wallet },
  ]);
}

test('pages were walked, and cursors of purged rows refused', () => {
  const nothing = Object.entries(walked).filter(([, count]) => count === 0);
  expect({ seeds: every, nothing }).toEqual({ seeds: every, nothing: [] });
});
