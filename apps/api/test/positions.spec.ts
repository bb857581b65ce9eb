import { formatDecimal, toDisplayNumber } from '#libs/core/money.js';
import { type RandomMarket, seeds } from '#libs/devkit/testing/market/market-harness.js';
import { marketWith, recordedOf } from '#libs/devkit/testing/market/market-with.js';
import { NaiveMarket } from '#libs/devkit/testing/market/naive-market.js';
import { SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import { until } from '#libs/devkit/testing/until.js';
import { amountUsd } from '#libs/pipeline/fold/price-rule.js';
import { naiveBalances } from '#libs/pipeline/projections/balances/test/oracle.js';
import type { Position } from '#libs/pipeline/projections/positions/projection.js';
import { naivePositions } from '#libs/pipeline/projections/positions/test/oracle.js';
import type { WalletProfit } from '#libs/pipeline/projections/wallet-profits/projection.js';
import { naiveProfits } from '#libs/pipeline/projections/wallet-profits/test/oracle.js';
import { ApiHarness } from './api-harness.js';
import { priceOf, unknownOf, worthOf } from './naive-worth.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const compared = {
  held: 0,
  realized: 0,
  unpriced: 0,
  unvalued: 0,
  buckets: 0,
  traders: 0,
  untraded: 0,
  trades: 0,
  ranges: 0,
  top: 0,
  fees: 0,
  unknown: 0,
};

function unrealized(naive: NaiveMarket, row: Position): bigint | null {
  if (row.priced === 0n) return 0n;
  const decimals = naive.tokens().find(({ token }) => token === row.token)!.decimals!;
  const price = priceOf(naive, row.token);
  const value = price === null ? null : amountUsd(row.priced, decimals, price);
  return value === null ? null : value - row.costUsd;
}

/** The tokens that are compared: the first ones, and those of positions whose token has no price any more. */
function comparedTokens(naive: NaiveMarket): string[] {
  const gone = new Set(
    naivePositions(naive.blocks).flatMap((row) => (unrealized(naive, row) === null ? [row.token] : [])),
  );
  const tokens = naive.tokens().map(({ token }) => token);
  return [...new Set([...tokens.slice(0, 5), ...tokens.filter((token) => gone.has(token)).slice(0, 2)])];
}

/** The wallets of a token that are compared, and the positions of it: those without a value and a price come first. */
function comparedWallets(naive: NaiveMarket, token: string): { all: Position[]; wallets: string[] } {
  const unvaluedFirst = (row: Position): number => Number(unrealized(naive, row) !== null);
  const all = naivePositions(naive.blocks)
    .filter((row) => row.token === token)
    .sort((a, b) => unvaluedFirst(a) - unvaluedFirst(b));
  const held = naiveBalances(naive.blocks).filter((row) => row.token === token);
  return { all, wallets: [...new Set([...all, ...held].map(({ wallet }) => wallet))].slice(0, 10) };
}

const unpricedPart = (row: Position): number =>
  Number(row.soldUnpriced + row.amount - row.priced) / Number(row.soldUnits + row.amount);

/** A market that ends with positions of every kind, one in a token whose price is gone among them. */
function marketOfAllKinds(family: 'evm' | 'solana', seed: number): RandomMarket {
  const shape = { family, groups: 110, deepest: 20, traders: true, blockTime: 2_000_000 };
  return marketWith(seed, shape, (naive) => {
    if (!naivePositions(naive.blocks).some((row) => unrealized(naive, row) === null)) return false;
    const met = { held: 0, realized: 0, unpriced: 0, untraded: 0 };
    for (const token of comparedTokens(naive)) {
      const { all, wallets } = comparedWallets(naive, token);
      for (const wallet of wallets) {
        const row = all.find((one) => one.wallet === wallet);
        met.untraded += Number(row === undefined);
        if (row === undefined) continue;
        met.held += Number(row.amount > 0n);
        met.realized += Number(row.gainUsd !== row.lossUsd);
        met.unpriced += Number(unpricedPart(row) > 0 && unpricedPart(row) < 1);
      }
    }
    const [wallet] = naivePositions(naive.blocks).map((row) => row.wallet);
    const times = new Set(naive.blocks.filter(({ trades }) => trades.some((trade) => trade.wallet === wallet)));
    return Math.min(...Object.values(met)) > 0 && times.size > 2;
  });
}

/** Positions, traders and profits, compared with ledgers worked out from the surviving blocks, while blocks arrive and go. */
describe.each(seeds(4).flatMap((seed) => (['evm', 'solana'] as const).map((family) => [family, seed] as const)))(
  'positions on a chain of %s (seed %i)',
  (family, seed) => {
    const market = marketOfAllKinds(family, seed);
    const { chain } = market;
    const { ids, slug } = chain;
    const half = Math.floor(market.facts.length / 2);
    const last = market.facts.length - 1;
    let harness: ApiHarness;

    beforeAll(async () => {
      harness = await ApiHarness.start(market);
      await harness.advance(half, Math.floor(half * 0.7));
    });
    afterAll(async () => {
      expect(harness.problems).toEqual([]);
      await harness.close();
    });

    const e18 = (value: bigint): number => toDisplayNumber(value, 18);
    const sum = (values: readonly bigint[]): bigint => values.reduce((total, value) => total + value, 0n);
    const profitsOf = (naive: NaiveMarket) => naiveProfits(naive.blocks, recordedOf(naive, market), market.reference);
    const feesOf = (rows: readonly WalletProfit[]): number | null => {
      compared.fees += Number(rows.some(({ feesUsd }) => feesUsd > 0n));
      return rows.some(({ unknownFees }) => unknownFees > 0) ? null : e18(sum(rows.map(({ feesUsd }) => feesUsd)));
    };
    const percent = (part: number, whole: number) => (whole === 0 ? null : expect.closeTo((100 * part) / whole, 4));

    const expectedRow = (naive: NaiveMarket, row: Position) => {
      const decimals = naive.tokens().find(({ token }) => token === row.token)!.decimals!;
      const open = unrealized(naive, row);
      const price = naive.price(row.token);
      const unknown = unknownOf(naive, row.token);
      const value = price === null || unknown !== null ? null : amountUsd(row.amount, decimals, price);
      compared.unknown += Number(unknown !== null);
      const realized = row.gainUsd - row.lossUsd;
      const average = (usd: bigint, units: bigint) => (Number(usd) / Number(units)) * 10 ** (decimals - 18);
      const near = (value: number) => expect.closeTo(value, Math.max(0, 8 - Math.ceil(Math.log10(value + 1))));
      return {
        wallet: ids.formatAddress(row.wallet),
        balance: unknown === null ? formatDecimal(row.amount, decimals) : null,
        balanceUnknown: unknown,
        valueUsd: value === null ? null : e18(value),
        realizedUsd: e18(realized),
        unrealizedUsd: open === null ? null : e18(open),
        totalUsd: open === null ? null : e18(open + realized),
        costUsd: e18(row.costUsd),
        averageBuyPriceUsd: row.boughtValued === 0n ? null : near(average(row.boughtUsd, row.boughtValued)),
        averageSellPriceUsd: row.soldValued === 0n ? null : near(average(row.soldUsd, row.soldValued)),
        ...{ boughtUsd: e18(row.boughtUsd), soldUsd: e18(row.soldUsd), buys: row.buys, sells: row.sells },
        winRatePercent: percent(row.wins, row.closes),
        ...{ firstTradeAt: row.firstTradeAt, lastTradeAt: row.lastTradeAt },
        holdingSeconds: (row.heldMs + (row.heldSince && naive.head.time - row.heldSince)) / 1000,
        unpricedPercent: percent(
          Number(row.soldUnpriced + row.amount - row.priced),
          Number(row.soldUnits + row.amount),
        ),
      };
    };

    async function compareToken(naive: NaiveMarket, token: string, query = ''): Promise<void> {
      const path = `/tokens/${slug}/${ids.formatAddress(token)}`;
      const { all, wallets } = comparedWallets(naive, token);
      if (wallets.length === 0) return;
      const names = wallets.map(ids.formatAddress).join(',');
      const { data } = await harness.documented(`${path}/positions?wallets=${names}${query}`, 'PositionsAnswer');
      expect(data.map(({ wallet }: { wallet: string }) => wallet).join(',')).toBe(names);
      for (const [index, wallet] of wallets.entries()) {
        const row = all.find((one) => one.wallet === wallet);
        if (row === undefined) {
          compared.untraded++;
          const unpricedPercent = unknownOf(naive, token) === null ? 100 : null;
          expect(data[index]).toMatchObject({ realizedUsd: 0, buys: 0, firstTradeAt: null, unpricedPercent });
          continue;
        }
        expect({ seed, ...data[index] }).toEqual({ seed, ...expectedRow(naive, row) });
        compared.held += Number(row.amount > 0n);
        compared.realized += Number(row.gainUsd !== row.lossUsd);
        compared.unpriced += Number(data[index].unpricedPercent > 0 && data[index].unpricedPercent < 100);
        compared.unvalued += Number(data[index].unrealizedUsd === null);
      }
    }

    async function compareTraders(naive: NaiveMarket, token: string, limit: number): Promise<void> {
      const path = `/tokens/${slug}/${ids.formatAddress(token)}/traders?limit=${limit}`;
      const profit = (row: Position): bigint => row.gainUsd - row.lossUsd;
      const ranked = naivePositions(naive.blocks)
        .filter((row) => row.token === token)
        .sort((a, b) => (profit(a) === profit(b) ? (a.wallet < b.wallet ? -1 : 1) : profit(a) > profit(b) ? -1 : 1));
      const walked: object[] = [];
      for (let next: string | null = ''; next !== null; ) {
        const page = await harness.documented(`${path}${next && `&cursor=${next}`}`, 'TradersAnswer');
        walked.push(...page.data);
        next = page.next;
      }
      expect(walked).toEqual(ranked.map((row) => expectedRow(naive, row)));
      compared.traders += walked.length;
    }

    async function compareWallet(naive: NaiveMarket, wallet: string, query = ''): Promise<void> {
      const own = naivePositions(naive.blocks).filter((row) => row.wallet === wallet);
      const hours = profitsOf(naive).filter((row) => row.wallet === wallet);
      for (const [interval, step, count] of [
        ['1d', DAY, 30],
        ['1h', HOUR, 24],
      ] as const) {
        const path = `/wallets/${slug}/${ids.formatAddress(wallet)}/pnl?interval=${interval}${query}`;
        const { data } = await harness.documented(path, 'WalletProfitAnswer');
        const to = (Math.floor(naive.head.time / step) + 1) * step;
        const from = to - count * step;
        const inside = hours.filter(({ hour }) => hour * HOUR >= from && hour * HOUR < to);
        const total = (of: (row: WalletProfit) => bigint) => sum(inside.map(of));
        const realized = total(({ gainUsd, lossUsd }) => gainUsd - lossUsd);
        const open = sum(own.map((row) => unrealized(naive, row) ?? 0n));
        expect(data).toMatchObject({ chain: slug, wallet: ids.formatAddress(wallet), interval, from, to });
        expect(data.summary).toMatchObject({
          ...{ realizedUsd: e18(realized), unrealizedUsd: e18(open), totalUsd: e18(realized + open) },
          ...{ costUsd: e18(sum(own.map(({ costUsd }) => costUsd))), averageBuyPriceUsd: null },
          ...{ boughtUsd: e18(total((row) => row.boughtUsd)), soldUsd: e18(total((row) => row.soldUsd)) },
          buys: inside.reduce((all, { buys }) => all + buys, 0),
          sells: inside.reduce((all, { sells }) => all + sells, 0),
          firstTradeAt: inside.length === 0 ? null : Math.min(...inside.map((row) => row.firstTradeAt)),
          unpricedPercent: percent(Number(total((row) => row.unpricedUsd)), Number(total((row) => row.soldUsd))),
          feesUsd: feesOf(inside),
        });
        let cumulative = 0n;
        const series = Array.from({ length: count }, (_, index) => {
          const time = from + index * step;
          const rows = inside.filter(({ hour }) => hour * HOUR >= time && hour * HOUR < time + step);
          const bucket = sum(rows.map(({ gainUsd, lossUsd }) => gainUsd - lossUsd));
          cumulative += bucket;
          compared.buckets += Number(rows.length > 0);
          return {
            ...{ time, realizedUsd: e18(bucket), cumulativeUsd: e18(cumulative) },
            ...{
              boughtUsd: e18(sum(rows.map((row) => row.boughtUsd))),
              soldUsd: e18(sum(rows.map((row) => row.soldUsd))),
            },
            buys: rows.reduce((all, { buys }) => all + buys, 0),
            sells: rows.reduce((all, { sells }) => all + sells, 0),
          };
        });
        expect(data.series).toEqual(series);
      }
    }

    async function compareTrades(random: SeededRandom, naive: NaiveMarket, wallet: string): Promise<void> {
      const all = naive.blocks
        .flatMap(({ trades, height: block, time }) => trades.map((trade) => ({ ...trade, block, time })))
        .filter((trade) => trade.wallet === wallet)
        .reverse();
      const picked = [random.pick(all).time, random.pick(all).time].sort((a, b) => a - b) as [number, number];
      const [from, to] = picked[0] < picked[1] ? picked : [all.at(-1)!.time, all[0]!.time];
      for (const range of from < to ? ['', `&from=${from}&to=${to}`] : ['']) {
        const path = `/wallets/${slug}/${ids.formatAddress(wallet)}/trades?limit=${random.int(1, 5)}${range}`;
        const walked: { id: string; token: string; side: string; wallet: string }[] = [];
        for (let next: string | null = ''; next !== null; ) {
          const page = await harness.documented(`${path}${next && `&cursor=${next}`}`, 'TradesAnswer');
          walked.push(...page.data);
          next = page.next;
        }
        const expected = all.filter(({ time }) => range === '' || (time >= from && time < to));
        expect(walked.map(({ id, token, side, wallet: by }) => [id, token, side, by])).toEqual(
          expected.map(({ tx, txOrdinal, base, side }) => [
            ...[`${ids.formatTx(tx)}-${txOrdinal}`, ids.formatAddress(base), side, ids.formatAddress(wallet)],
          ]),
        );
        compared.trades += walked.length;
        compared.ranges += Number(range !== '' && walked.length > 0);
      }
    }

    async function compareTop(naive: NaiveMarket): Promise<void> {
      const rowsOf = (hours: number): Map<string, WalletProfit[]> => {
        const first = Math.floor(naive.head.time / HOUR) - hours + 1;
        const rows = new Map<string, WalletProfit[]>();
        for (const row of profitsOf(naive)) {
          if (row.hour >= first) rows.set(row.wallet, [...(rows.get(row.wallet) ?? []), row]);
        }
        return rows;
      };
      const measures: Record<string, (row: WalletProfit) => bigint> = {
        profit: ({ gainUsd, lossUsd, linkedUsd }) => gainUsd - lossUsd - linkedUsd,
        volume: ({ boughtUsd, soldUsd }) => boughtUsd + soldUsd,
        trades: ({ buys, sells }) => BigInt(buys + sells),
      };
      for (const [window, hours] of [
        ['24h', 24],
        ['7d', 168],
        ['30d', 720],
      ] as const) {
        for (const [sort, measure] of Object.entries(measures)) {
          const ranked = [...rowsOf(hours)].map(([wallet, rows]) => ({ wallet, rows, value: sum(rows.map(measure)) }));
          ranked.sort((a, b) => (a.value === b.value ? (a.wallet < b.wallet ? -1 : 1) : a.value > b.value ? -1 : 1));
          const path = `/wallets/top?window=${window}&sort=${sort}&limit=3`;
          // An order of a moment ago is shown while the next one is read.
          await until(`${path} of block ${naive.head.height}`, async () => {
            const { body } = await harness.get(path);
            return body.meta.chains[slug].block === naive.head.height;
          });
          const walked: Record<string, unknown>[] = [];
          for (let next: string | null = ''; next !== null; ) {
            const chosen: string = next === '' && sort === 'profit' ? `&chain=${slug}` : '';
            const page = await harness.documented(`${path}${chosen}${next && `&cursor=${next}`}`, 'TopWalletsAnswer');
            walked.push(...page.data);
            next = chosen === '' ? page.next : null;
          }
          const shown = sort === 'profit' ? ranked.slice(0, 3) : ranked;
          expect(walked).toMatchObject(
            shown.map(({ wallet, rows }) => ({
              ...{ chain: slug, wallet: ids.formatAddress(wallet), balance: null, balanceUnknown: null },
              valueUsd: worthOf(naive, wallet),
              realizedUsd: e18(sum(rows.map(({ gainUsd, lossUsd }) => gainUsd - lossUsd))),
              buys: rows.reduce((all, { buys }) => all + buys, 0),
              feesUsd: feesOf(rows),
              firstTradeAt: Math.min(...rows.map(({ firstTradeAt }) => firstTradeAt)),
              winRatePercent: percent(
                rows.reduce((all, { wins }) => all + wins, 0),
                rows.reduce((all, { closes }) => all + closes, 0),
              ),
              costUsd: e18(
                sum(
                  naivePositions(naive.blocks)
                    .filter((row) => row.wallet === wallet)
                    .map(({ costUsd }) => costUsd),
                ),
              ),
            })),
          );
          compared.top += walked.length;
        }
      }
    }

    const compareAll = async (naive: NaiveMarket, query = ''): Promise<void> => {
      const positions = naivePositions(naive.blocks);
      for (const token of comparedTokens(naive)) {
        await compareToken(naive, token, query);
        if (query === '') await compareTraders(naive, token, 3);
      }
      const wallets = [...new Set(positions.map(({ wallet }) => wallet))];
      for (const wallet of wallets.slice(0, 2)) {
        await compareWallet(naive, wallet, query);
        if (query === '') await compareTrades(new SeededRandom(seed), naive, wallet);
      }
      if (query === '') await compareTop(naive);
    };

    it('are what the surviving blocks say, now, later and as of an earlier block', async () => {
      await compareAll(new NaiveMarket(chain, market.facts, half));
      await harness.advance(last, Math.floor(last * 0.6));
      const now = new NaiveMarket(chain, market.facts, last);
      await compareAll(now);
      const { height } = now.blocks[Math.floor(now.blocks.length / 2)]!;
      await compareAll(new NaiveMarket(chain, market.facts, last, height), `&asOfBlock=${height}`);
    });

    it('are refused with the limit that a request is beyond', async () => {
      const naive = new NaiveMarket(chain, market.facts, last);
      const token = ids.formatAddress(naive.tokens()[0]!.token);
      const size = family === 'evm' ? 20 : 32;
      const wallets = (count: number): string =>
        Array.from({ length: count }, (_, n) =>
          ids.formatAddress((n + 1).toString(16).padStart(2, '0').repeat(size)),
        ).join();
      const positions = `/tokens/${slug}/${token}/positions`;
      const pnl = `/wallets/${slug}/${wallets(1)}/pnl`;
      const refused: [string, RegExp][] = [
        [positions, /^wallets is required$/],
        [`${positions}?wallets=`, /^wallets must name 1 to 10 addresses/],
        [`${positions}?wallets=${wallets(11)}`, /^wallets must name 1 to 10 addresses/],
        [`${positions}?wallets=${wallets(1)},`, /^wallets must be an address/],
        [`${positions}?wallets=0x12`, /^wallets must be an address/],
        [`/tokens/${slug}/${token}/traders?asOfBlock=1`, /asOfBlock/],
        [`/wallets/top?window=1h`, /^window must be one of 24h, 7d, 30d$/],
        [`/wallets/top?sort=x`, /^sort must be one of/],
        [`/wallets/top?chain=nope`, /^chain/],
        [`/wallets/top?cursor=abc`, /^cursor/],
        [`/wallets/${slug}/0x12/trades`, /^address must be/],
        [`/wallets/${slug}/${wallets(1)}/trades?from=1700000000001&to=1700000000001`, /^from must be before to$/],
        [`/wallets/${slug}/${wallets(1)}/trades?from=-1`, /^from must be/],
        [`${pnl}?interval=2d`, /^interval must be one of 1d, 1h$/],
        [`${pnl}?from=1700000000000&to=1700000000000`, /^from must be before to$/],
        [`${pnl}?from=${1700000000000}&to=${1700000000001 + 365 * DAY}`, /365 days/],
        [`${pnl}?interval=1h&from=${1700000000000}&to=${1700000000001 + 30 * DAY}`, /30 days/],
        [`${pnl}?from=${naive.head.time - 365 * DAY - 1}`, /365 days/],
      ];
      for (const [path, message] of refused) {
        const { status, body } = await harness.get(path);
        expect({ path, status, code: body.error?.code }).toEqual({ path, status: 400, code: 'bad_request' });
        expect(body.error.message).toMatch(message);
      }
      for (const count of [1, 10]) {
        const { data } = await harness.documented(`${positions}?wallets=${wallets(count)}`, 'PositionsAnswer');
        expect(data.length).toBe(count);
      }
      const widest = await harness.documented(`${pnl}?from=${naive.head.time - 365 * DAY}`, 'WalletProfitAnswer');
      expect(widest.data.series.length).toBe(366);
      const ahead = await harness.documented(`${pnl}?from=${naive.head.time + 9 * DAY}`, 'WalletProfitAnswer');
      expect(ahead.data.series).toEqual([]);
    });
  },
);

it('have been of every kind', () => {
  expect(Object.entries(compared).filter(([, count]) => count === 0)).toEqual([]);
});
