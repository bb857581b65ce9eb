import { isDeepStrictEqual } from 'node:util';
import { chainSpec } from '#libs/chain/catalogue/catalogue.js';
import { HeapHome } from '#libs/devkit/testing/heap-home.js';
import { type ExtremeHistory, extremeHistory } from '#libs/devkit/testing/histories/extreme-history.js';
import { FactsReader, plainState } from '#libs/devkit/testing/histories/facts-reader.js';
import { factsBytes, runFold } from '#libs/devkit/testing/histories/fold-driver.js';
import { naiveFold } from '#libs/devkit/testing/histories/naive-model.js';
import { survivors } from '#libs/devkit/testing/histories/random-history.js';
import { StoredFold } from '#libs/devkit/testing/histories/stored-fold.js';
import { foldAll, type RandomMarket, temporaryStore } from '#libs/devkit/testing/market/market-harness.js';
import { NaiveMarket } from '#libs/devkit/testing/market/naive-market.js';
import { takeView, written } from '#libs/devkit/testing/market/written-market.js';
import { poolsOfBook, poolsOfFold } from '#libs/devkit/testing/pools/book-state.js';
import { propertySeeds, SeededRandom, scaled } from '#libs/devkit/testing/seeded-random.js';
import { ChainFold } from '#libs/pipeline/fold/chain-fold.js';
import { foldSpaces } from '#libs/pipeline/fold/fold-spaces.js';
import { decodeFactsGroup, encodeFactsGroup } from '#libs/pipeline/projections/facts-codec.js';
import { FactsRows } from '#libs/pipeline/store/market/facts-rows.js';
import type { AnalyticsStore } from '#libs/pipeline/store/store.js';
import { encodeTables } from '#libs/pipeline/store/test/row-encoder.js';
import { decodeBlocksGroup, encodeBlocksGroup } from '#libs/protocol/codec/blocks-codec.js';
import { decodePoolCopy, encodePoolCopy } from '#libs/protocol/codec/pool-copy-codec.js';
import type { FactsBlock, FactsGroup, TradeFact } from '#libs/protocol/facts.js';
import { PoolBook } from '#libs/routing/pools/pool-book.js';
import { RouteFinder } from '#libs/routing/search/route-finder.js';
import { readCandles } from '#libs/serve/reader/read-candles.js';
import { readMarket } from '#libs/serve/reader/read-market.js';
import { readToken } from '#libs/serve/reader/read-token.js';
import { readTrades } from '#libs/serve/reader/read-trades.js';

/**
 * Whatever a log can hold goes through fold, codecs, tables, reader and router: no number stops a chain. Every kind of
 * event of both families, with both ends of uint256 and int256.
 */
const families = ['evm', 'solana'] as const;
/** Kinds whose curve the naive model knows. */
const NAIVE_KINDS = ['constant-product', 'concentrated', 'curve'] as const;

async function forSeeds(count: number, property: (seed: number) => void | Promise<void>): Promise<void> {
  for (const seed of propertySeeds(scaled(count, 10))) {
    try {
      await property(seed);
    } catch (error) {
      throw new Error(`seed ${seed} (repeat with TIDEPOOL_TEST_SEED=${seed})`, { cause: error });
    }
  }
}

describe.each(families)('extreme numbers on %s (long)', (family) => {
  let setApart = 0;

  it('come through the codec of blocks, the fold and the codec of facts', async () => {
    await forSeeds(100, (seed) => {
      const { groups } = extremeHistory(seed, family);
      const decoded = groups.map((group) => decodeBlocksGroup(encodeBlocksGroup(group)));
      expect(isDeepStrictEqual(decoded, groups)).toBe(true);
      const { facts } = runFold(decoded);
      expect(
        isDeepStrictEqual(
          facts.map((group) => decodeFactsGroup(encodeFactsGroup(group))),
          facts,
        ),
      ).toBe(true);
    });
  });

  it('are folded to what the naive model makes of the surviving chain', async () => {
    await forSeeds(60, (seed) => {
      const { groups } = extremeHistory(seed, family, { kinds: NAIVE_KINDS });
      const reader = new FactsReader();
      for (const facts of runFold(groups).facts) reader.read(facts);
      const expected = naiveFold(groups);
      const [state, naive] = [plainState(reader.state), plainState(expected.state)];
      if (!isDeepStrictEqual(state, naive)) expect(state).toEqual(naive);
      const told = ({ trades, transfers }: Pick<FactsBlock, 'trades' | 'transfers'>) => ({ trades, transfers });
      const [blocks, naiveBlocks] = [reader.blocks.map(told), expected.blocks.map(told)];
      if (!isDeepStrictEqual(blocks, naiveBlocks)) expect(blocks).toEqual(naiveBlocks);
    });
  });

  it('are undone by retractions and survive a start', async () => {
    await forSeeds(60, async (seed) => {
      const { groups } = extremeHistory(seed, family);
      const { fold, facts } = runFold(groups);
      const alone = ChainFold.empty();
      for (const group of groups.slice(0, 1)) if (group.kind === 'epoch') alone.applySurvivor(group);
      for (const block of survivors(groups)) alone.applySurvivor(block);
      expect(await alone.stateHash()).toBe(await fold.stateHash());
      expect(alone.poolsSetApart).toBe(fold.poolsSetApart);
      setApart += fold.poolsSetApart;
      const stored = new StoredFold(groups, new HeapHome(foldSpaces), { objects: 1 });
      expect(await stored.start()).toBe(0);
      for (const [seq, group] of groups.entries()) {
        expect(factsBytes(await stored.apply(group))).toBe(factsBytes(facts[seq]!));
        await stored.fold.state.commit();
        if (stored.fold.state.committed?.seq === seq) expect(await stored.start()).toBe(seq + 1);
      }
    });
  });

  it('set pools apart', () => {
    expect(setApart).toBeGreaterThan(0);
  });

  it('become rows, and copies of pools that a router takes and can be asked for any amount', async () => {
    await forSeeds(100, (seed) => {
      const random = new SeededRandom(seed);
      const { groups, reference } = extremeHistory(seed, family);
      const { fold, facts } = runFold(groups);
      const rows = new FactsRows();
      for (const group of facts) rows.add(encodeFactsGroup(group));
      expect(rows.batches()).toEqual(encodeTables(facts));
      const book = new PoolBook();
      for (const group of facts) book.apply(group);
      expect(isDeepStrictEqual(poolsOfBook(book), poolsOfFold(fold))).toBe(true);
      for (const { record, state } of poolsOfFold(fold)) {
        const [part] = encodePoolCopy({ seq: 1, record, state });
        expect(decodePoolCopy(record.pool, part!.value, () => undefined)).toEqual({ seq: 1, record, state });
      }
      if (family === 'solana') return;
      const finder = new RouteFinder(book);
      const tokens = [...new Set([...book.pools()].flatMap(({ token0, token1 }) => [token0, token1]))];
      expect(tokens).toContain(reference.coin.token);
      for (let n = 0; n < 20; n++) {
        const [tokenIn, tokenOut] = [random.pick(tokens), random.pick(tokens)];
        if (tokenIn === tokenOut) continue;
        const amountIn = random.pick([1n, 10n ** 18n, 2n ** 128n, 2n ** 255n, 2n ** 256n - 1n]);
        const venues = new Set(['uniswap-v2', 'uniswap-v3']);
        const answer = finder.find({ tokenIn, tokenOut, amountIn, maxHops: 3, venues });
        if (answer.kind === 'route') for (const { pool } of answer.route.hops) expect(pool.quotable).toBe(true);
      }
    });
  });
});

describe('extreme numbers in the tables (long)', () => {
  let store: AnalyticsStore;
  let dispose: () => Promise<void>;
  beforeAll(async () => ({ store, dispose } = await temporaryStore()));
  afterAll(() => dispose());

  const runs = propertySeeds(scaled(10, 1)).flatMap((seed) => families.map((family) => [seed, family] as const));
  it.each(runs.map(([seed, family], run) => [seed, family, run] as const))(
    'are inserted and read (seed %i, %s)',
    async (seed, family, run) => {
      const market = marketOf(extremeHistory(seed, family));
      const random = new SeededRandom(seed);
      const { checkpoints, reads } = await written(store, market, run, random);
      const last = market.facts.length - 1;
      {
        const base = random.pick(checkpoints);
        const view = takeView(market, base, reads, last)!;
        const naive = new NaiveMarket(market.chain, market.facts, last);
        const listed = await readMarket(view);
        expect([...listed.tokens.keys()].sort()).toEqual(
          naive
            .tokens()
            .map(({ token }) => token)
            .sort(),
        );
        for (const { token } of naive.tokens()) {
          const own = (await readToken(view, token))!;
          expect(own.priceUsd).toBe(naive.price(token));
          expect(listed.tokens.get(token)!.priceUsd).toBe(own.priceUsd);
          expect(listed.tokens.get(token)!.liquidityUsd).toBe(own.liquidityUsd);
          const { trades } = await readTrades(view, { token, limit: 100 });
          expect(trades.map(numbers)).toEqual(naive.trades(token).slice(0, 100).map(numbers));
          const page = await readCandles(view, {
            token,
            interval: '1m',
            limit: 1_000,
            currency: 'usd',
            fill: false,
            continuous: false,
          });
          expect(page.candles).toEqual(naive.candles(token, '1m'));
        }
      }
    },
  );
});

const numbers = ({
  tx,
  txOrdinal,
  baseAmount,
  quoteAmount,
  priceUsd,
  volumeUsd,
  volumeCoin,
  uncounted,
}: TradeFact) => ({
  ...{ tx, txOrdinal, baseAmount, quoteAmount, priceUsd, volumeUsd, volumeCoin, uncounted },
});

function marketOf({ reference, groups }: ExtremeHistory): RandomMarket {
  const spec = chainSpec(reference.family === 'evm' ? 'eth' : 'sol')!;
  const { token, symbol, decimals } = reference.coin;
  const stables = reference.stables.map((stable) => ({ token: stable, symbol: 'USD', decimals: 18 }));
  const facts: FactsGroup[] = foldAll(groups);
  return {
    chain: { ...spec, wrappedNative: { token, symbol, decimals }, stables },
    facts,
    recorded: groups,
    reference,
  };
}
