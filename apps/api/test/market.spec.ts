import { chainManifests } from '#libs/chain/chains/registry.js';
import { venueLabel } from '#libs/chain/market-ports/chain-spec.js';
import { formatDecimal, fromNumber, toDisplayNumber } from '#libs/core/money.js';
import { type RandomMarket, seeds } from '#libs/devkit/testing/market/market-harness.js';
import { marketWith } from '#libs/devkit/testing/market/market-with.js';
import { NaiveMarket } from '#libs/devkit/testing/market/naive-market.js';
import { testSeed } from '#libs/devkit/testing/seeded-random.js';
import { foldedIntervals } from '#libs/pipeline/fold/candles.js';
import { marketCap } from '#libs/pipeline/fold/price-rule.js';
import { backedCap } from '#libs/pipeline/fold/token-values.js';
import { naiveHolders } from '#libs/pipeline/projections/holders/test/oracle.js';
import { tagsOf } from '#libs/pipeline/projections/trader-tags/tags.js';
import { naiveTags } from '#libs/pipeline/projections/trader-tags/test/oracle.js';
import { DAY_MS } from '#libs/pipeline/projections/venue-volumes/projection.js';
import { naiveVolumes } from '#libs/pipeline/projections/venue-volumes/test/oracle.js';
import type { BlockGroup } from '#libs/protocol/blocks.js';
import type { CandleBody } from '#libs/serve/contract/rest/candle-body.js';
import { ApiHarness } from './api-harness.js';

/** Prices have 36 decimals: what is far below this has too few digits for a ratio. */
const LEAST_PRICE = 1e-18;

/** What the answers say, compared with the surviving blocks and with the OpenAPI document that describes them. */
describe.each(seeds(10))('answers of the market-data API (seed %i)', (seed) => {
  const market = marketWith(seed, { groups: 90 }, (known) => {
    const today = Math.floor(known.head.time / DAY_MS);
    const traded = known.tokens().some(({ token }) => known.trades(token).length > 3);
    return traded && naiveVolumes(known.blocks).some(({ day }) => day > today - 30);
  });
  const last = market.facts.length - 1;
  let harness: ApiHarness;
  let naive: NaiveMarket;
  beforeAll(async () => {
    harness = await ApiHarness.start(market);
    await harness.advance(last, Math.floor(last * 0.7));
    naive = new NaiveMarket(market.chain, market.facts, last);
  });
  afterAll(async () => {
    expect(harness.problems).toEqual([]);
    await harness.close();
  });

  const documented = (path: string, schema: string) => harness.documented(path, schema);
  const finalized = () => {
    let height = -1;
    for (const group of market.facts) {
      if (group.kind === 'finalize') height = Math.max(height, group.finalizedHeight);
      else if (group.kind === 'retract') height = Math.min(height, group.height);
    }
    return height < 0 ? null : height;
  };
  const meta = () => ({
    ...{ block: naive.head.height, blockHash: `0x${naive.head.hash}`, finalized: finalized() },
    proof: naive.head.proof ?? 'none',
  });

  it('lists the chains', async () => {
    const body = await documented('/chains', 'ChainsAnswer');
    const row = (chain: string, aliases: string[], networkId: number, chainId: number | null) =>
      expect.objectContaining({ chain, aliases, networkId, chainId });
    expect(body.data).toEqual(
      chainManifests.all.map(({ slug, aliases, networkId, chainId }) => row(slug, [...aliases], networkId, chainId)),
    );
    const stated = [
      row('sol', ['solana'], 101, null),
      row('eth', ['ethereum'], 1, 1),
      row('bsc', ['bnb'], 56, 56),
      row('base', [], 8453, 8453),
      row('chaind', [], 4663, 4663),
    ];
    expect(body.data).toEqual(expect.arrayContaining(stated));
    const of = (slug: string) => body.data.find(({ chain }: { chain: string }) => chain === slug);
    const [eth, bsc] = [of('eth'), of('bsc')];
    expect(eth.head).toMatchObject({ block: naive.head.height, time: naive.head.time });
    expect(eth.nativeCurrency).toEqual({ name: 'Ether', symbol: 'ETH', decimals: 18 });
    expect(eth.wrappedNative).toBe(`0x${market.chain.wrappedNative.token}`);
    expect(bsc.head).toBeNull();
    expect(Object.keys(body.meta.chains)).toEqual(['eth']);
    expect(body.meta.chains.eth).toEqual(meta());
  });

  it('says that it lives and that it is ready', async () => {
    expect(await documented('/health', 'HealthBody')).toEqual({ status: 'ok', version: '1.2.3' });
    expect(await documented('/ready', 'ReadyBody')).toEqual({ ready: true, reasons: [], warnings: [] });
  });

  it('shows the volume of each venue by day', async () => {
    const body = await documented('/venues/eth/volume', 'VenueVolumeAnswer');
    expect(body).toMatchObject({ chain: 'eth', meta: meta() });
    const today = Math.floor(naive.head.time / DAY_MS);
    const expected = naiveVolumes(naive.blocks).filter(({ day }) => day > today - 30);
    const inOrder = expected.sort((a, b) => b.day - a.day || Number(b.volumeUsd - a.volumeUsd));
    expect(body.data).toEqual(
      inOrder.map(({ venue, day, volumeUsd, trades }) => ({
        ...{ dex: venueLabel(market.chain, venue), day: new Date(day * DAY_MS).toISOString().slice(0, 10) },
        ...{ volumeUsd: toDisplayNumber(volumeUsd, 18), trades },
      })),
    );
    expect(body.data.length).toBeGreaterThan(0);
    expect(await harness.get('/venues/eth/volume?days=0')).toMatchObject({ status: 400 });
  });

  it('shows trades from either side of a swap', async () => {
    const recorded = naive.blocks.map(({ seq }) => market.recorded[seq] as BlockGroup);
    const tagged = naiveTags(naive.blocks, recorded, market.reference);
    const tags = new Map(tagged.map((row) => [`${row.token} ${row.wallet}`, tagsOf(row.tags)]));
    for (const { token } of naive.tokens()) {
      const body = await documented(`/tokens/eth/0x${token}/trades?limit=200`, 'TradesAnswer');
      expect(body.meta).toEqual(meta());
      const trades = naive.trades(token).slice(0, 200);
      expect(body.data).toHaveLength(trades.length);
      expect(new Set(body.data.map((row: { id: string }) => row.id)).size).toBe(trades.length);
      trades.forEach((trade, index) => {
        const isBase = trade.base === token;
        const coin = market.chain.wrappedNative.token;
        const other = isBase ? trade.quote : trade.base;
        const record = naive.tokens().find((known) => known.token === other);
        const row = body.data[index];
        expect(row).toMatchObject({
          id: `0x${trade.tx}-${trade.txOrdinal}`,
          chain: 'eth',
          token: `0x${token}`,
          pool: `0x${trade.pool}`,
          side: (trade.side === 'buy') === isBase ? 'buy' : 'sell',
          wallet: `0x${trade.wallet}`,
          tokenAmount: isBase
            ? formatDecimal(trade.baseAmount, trade.baseDecimals)
            : formatDecimal(trade.quoteAmount, trade.quoteDecimals),
          quoteToken: `0x${other}`,
          quoteSymbol: other === coin ? 'ETH' : (record?.symbol ?? null),
          volumeUsd: trade.volumeUsd === null ? null : toDisplayNumber(trade.volumeUsd, 18),
          volumeNative: trade.volumeCoin === null ? null : toDisplayNumber(trade.volumeCoin, 18),
          time: trade.time,
          block: trade.block,
          signature: `0x${trade.tx}`,
          counted: isBase && trade.uncounted === null,
          uncounted: isBase || trade.uncounted === 'reverted' ? trade.uncounted : 'quote_side',
          tags: tags.get(`${token} ${trade.wallet}`) ?? [],
        });
        if (isBase) expect(row.priceUsd).toBe(trade.priceUsd === null ? null : toDisplayNumber(trade.priceUsd, 36));
        // From the quote token's side the price still gives the trade's value, or more where that could not be taken out.
        else if (row.priceUsd > LEAST_PRICE && row.volumeUsd > 1e-3) {
          const ratio = (row.priceUsd * Number(row.tokenAmount)) / row.volumeUsd;
          const isMoney = token === coin || market.chain.stables.some((stable) => stable.token === token);
          if (isMoney) expect(ratio).toBeCloseTo(1, 6);
          else expect(ratio).toBeGreaterThan(1 - 1e-6);
        }
      });
    }
  });

  it('filters trades by side and least value, as the token sees them', async () => {
    const { token } = naive.tokens().find((known) => naive.trades(known.token).length > 3)!;
    const every = naive.trades(token);
    const values = every.flatMap(({ volumeUsd }) => volumeUsd ?? []).sort((a, b) => (a < b ? -1 : 1));
    const least = Number(formatDecimal(values[values.length >> 1] ?? 0n, 18));
    const ids = async (query: string): Promise<string[]> => {
      const body = await documented(`/tokens/eth/0x${token}/trades?limit=200&${query}`, 'TradesAnswer');
      return body.data.map(({ id }: { id: string }) => id);
    };
    const expected = (matches: (trade: (typeof every)[number]) => boolean): string[] =>
      every.filter(matches).map(({ tx, txOrdinal }) => `0x${tx}-${txOrdinal}`);
    const isBuy = ({ base, side }: (typeof every)[number]) => (side === 'buy') === (base === token);
    expect(await ids('side=buy')).toEqual(expected(isBuy));
    expect(await ids('side=sell')).toEqual(expected((trade) => !isBuy(trade)));
    const isWorth = ({ volumeUsd }: (typeof every)[number]) => volumeUsd !== null && volumeUsd >= fromNumber(least, 18);
    expect(await ids(`minUsd=${least}`)).toEqual(expected(isWorth));
    expect(await ids(`minUsd=${least}&side=sell`)).toEqual(expected((trade) => isWorth(trade) && !isBuy(trade)));
    expect(await ids('minUsd=1e300')).toEqual([]);
  });

  it('shows candles of every interval', async () => {
    const traded = ({ token }: { token: string }) => naive.trades(token).length > 0;
    const { token } = naive.tokens().find(traded)!;
    const stables = market.chain.stables.filter(traded).map((stable) => stable.token);
    const shown = new Set([token, ...stables]);
    for (const [token, interval] of [...shown].flatMap((of) => foldedIntervals.map((each) => [of, each] as const))) {
      const body = await documented(`/tokens/eth/0x${token}/candles?interval=${interval}&limit=1000`, 'CandlesAnswer');
      const price = (value: bigint | null) => (value === null ? null : toDisplayNumber(value, 36));
      const expected = naive.candles(token, interval).slice(-1000);
      expect(body.data).toEqual(
        expected.map((candle) => ({
          time: candle.time,
          open: price(candle.open),
          high: price(candle.high),
          low: price(candle.low),
          close: price(candle.close),
          volumeUsd: toDisplayNumber(candle.volumeUsd, 18),
          volumeNative: toDisplayNumber(candle.volumeCoin, 18),
          loopVolumeUsd: toDisplayNumber(candle.loopVolumeUsd, 18),
          trades: candle.trades,
          buys: candle.buys,
          sells: candle.sells,
        })),
      );
      // What a stable is worth is never unknown.
      const closes = body.data.map(({ close }: { close: number | null }) => close);
      if (stables.includes(token)) expect(closes).not.toContain(null);
    }
  });

  it('shows what is known of a token, and null for the rest', async () => {
    const holders = naiveHolders(naive.blocks);
    for (const record of naive.tokens()) {
      const { data, meta: own } = await documented(`/tokens/eth/0x${record.token}`, 'TokenAnswer');
      const price = naive.price(record.token);
      const coin = naive.price(market.chain.wrappedNative.token);
      const counts = holders.find(({ token, standing }) => token === record.token && standing === 1);
      const total = counts === undefined ? record.totalSupply : counts.minted - counts.burnt;
      const circulating = counts === undefined ? null : counts.minted - counts.burnt - counts.dead;
      const worth = naive.values().about(record.token);
      const fdv = backedCap(marketCap(price, total, record.decimals), worth);
      const cap = backedCap(marketCap(price, circulating, record.decimals), worth);
      const whole = (amount: bigint | null) =>
        amount === null || record.decimals === null ? null : formatDecimal(amount, record.decimals);
      expect(own.block).toBe(naive.head.height);
      expect(data).toMatchObject({
        chain: 'eth',
        address: `0x${record.token}`,
        name: record.name,
        symbol: record.symbol,
        decimals: record.decimals,
        supply: whole(total),
        priceUsd: price === null ? null : toDisplayNumber(price, 36),
        fdvUsd: fdv === null ? null : toDisplayNumber(fdv, 18),
        circulatingSupply: whole(circulating),
        marketCapUsd: cap === null ? null : toDisplayNumber(cap, 18),
        holders: counts?.holders ?? null,
        socials: { twitter: null, telegram: null, website: null, discord: null },
        updatedAt: naive.head.time,
      });
      if (price !== null && coin !== null && data.priceUsd > LEAST_PRICE) {
        expect(data.priceNative / (data.priceUsd / toDisplayNumber(coin, 36))).toBeCloseTo(1, 9);
      }
      const pools = naive.poolsOf(record.token);
      expect(data.pools.map((pool: { address: string }) => pool.address).sort()).toEqual(
        [...pools.keys()].map((pool) => `0x${pool}`).sort(),
      );
      const depths = data.pools.map((pool: { liquidityUsd: number | null }) => pool.liquidityUsd ?? -1);
      expect([...depths].sort((a, b) => b - a)).toEqual(depths);
      expect(data.stats['24h'].trades).toBe(naive.window(record.token, 86_400_000).trades);
    }
  });

  it('answers as of an earlier block as if later ones did not exist', async () => {
    const block = naive.blocks[Math.floor(naive.blocks.length / 2)]!;
    const then = new NaiveMarket(market.chain, market.facts, last, block.height);
    for (const { token } of then.tokens()) {
      const path = `/tokens/eth/0x${token}`;
      const trades = await documented(`${path}/trades?limit=200&asOfBlock=${block.height}`, 'TradesAnswer');
      const shown = { block: block.height, blockHash: `0x${block.hash}`, proof: block.proof ?? 'none' };
      expect(trades.meta).toMatchObject(shown);
      expect(trades.data.map((row: { id: string }) => row.id)).toEqual(
        then
          .trades(token)
          .map((trade) => `0x${trade.tx}-${trade.txOrdinal}`)
          .slice(0, 200),
      );
      const own = await documented(`${path}?asOfBlock=${block.height}`, 'TokenAnswer');
      const price = then.price(token);
      expect(own.data.priceUsd).toBe(price === null ? null : toDisplayNumber(price, 36));
      expect(own.data.updatedAt).toBe(block.time);
    }
    const later = naive.tokens().find((record) => !then.tokens().some((known) => known.token === record.token));
    if (later) expect((await harness.get(`/tokens/eth/0x${later.token}?asOfBlock=${block.height}`)).status).toBe(404);
  });
});

describe(`candles of a stable that lost its peg (seed ${testSeed()})`, () => {
  const found = offPeg(testSeed());
  let harness: ApiHarness;
  beforeAll(async () => {
    harness = await ApiHarness.start(found.market);
  });
  afterAll(async () => {
    expect(harness.problems).toEqual([]);
    await harness.close();
  });

  it('show what it was worth at its trades, whatever of them is in the tables', async () => {
    const { market, stable } = found;
    const last = market.facts.length - 1;
    const price = (value: bigint | null) => (value === null ? null : toDisplayNumber(value, 36));
    const naive = new NaiveMarket(market.chain, market.facts, last);
    for (const sunk of [0.5, 1]) {
      await harness.advance(last, Math.floor(last * sunk));
      for (const interval of foldedIntervals) {
        const path = `/tokens/eth/0x${stable}/candles?interval=${interval}&limit=1000`;
        const { data } = await harness.documented(path, 'CandlesAnswer');
        const expected = naive.candles(stable, interval).slice(-1000);
        expect(data.map(({ time, open, high, low, close }: CandleBody) => ({ time, open, high, low, close }))).toEqual(
          expected.map(({ time, open, high, low, close }) => ({
            ...{ time, open: price(open), high: price(high), low: price(low), close: price(close) },
          })),
        );
      }
    }
  });
});

/** The first market from a seed on with a stable whose candles, of a minute and more, are not all flat at 1. */
function offPeg(seed: number): { market: RandomMarket; stable: string } {
  let stable: string | undefined;
  const market = marketWith(seed, { groups: 90 }, (naive, { chain }) => {
    const moved = ({ token }: { token: string }) => naive.candles(token, '1h').some(({ high, low }) => high !== low);
    stable = chain.stables.find(moved)?.token;
    return stable !== undefined;
  });
  return { market, stable: stable! };
}
