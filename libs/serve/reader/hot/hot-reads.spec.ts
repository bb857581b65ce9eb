import { setImmediate } from 'node:timers/promises';
import type { Hex } from '#libs/core/ids.js';
import { type RandomMarket, randomMarket, seeds, temporaryStore } from '#libs/devkit/testing/market/market-harness.js';
import { takeView, written } from '#libs/devkit/testing/market/written-market.js';
import { oneSeedAsked, SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import { COMPLETE } from '#libs/pipeline/projections/holders/projection.js';
import type { KeyedFold } from '#libs/pipeline/projections/keyed-fold.js';
import type { KeyBounds } from '#libs/pipeline/projections/keyed-form.js';
import type { Checkpoint } from '#libs/pipeline/store/market/checkpoint.js';
import type { MarketReads } from '#libs/pipeline/store/market/reads.js';
import type { AnalyticsStore } from '#libs/pipeline/store/store.js';
import type { TokenRecord } from '#libs/protocol/blocks.js';
import { type ChainView, viewAt } from '../chain-view.js';
import { readHolderKinds } from '../holder-kinds.js';
import { readCandles } from '../read-candles.js';
import { readHolders, readHoldings } from '../read-holders.js';
import { readTraders, readWalletPositions, readWalletProfits } from '../read-positions.js';
import { readTags } from '../read-tags.js';
import { readToken, type TokenState } from '../read-token.js';
import { readTokenPrices } from '../read-token-prices.js';
import { readTrades } from '../read-trades.js';
import { Session } from '../session.js';
import type { HotLimits } from './hot-states.js';

/**
 * One reader goes through a random history while checkpoints come, and is asked the same again and again. What it answers from memory
 * is what the tables alone say, also after retractions and with room for little; and it asks the tables for nothing twice.
 */
describe('hot reads', () => {
  let store: AnalyticsStore;
  let dispose: () => Promise<void>;
  beforeAll(async () => ({ store, dispose } = await temporaryStore()));
  afterAll(() => dispose());

  const runs = seeds(30);
  it.each(runs.map((seed, run) => [seed, run]))('answer as the tables do (seed %i)', history);

  /** `further`: chosen so that little is left out, which random choices may miss for long. */
  async function history(seed: number, run: number, further = false): Promise<void> {
    const random = new SeededRandom(seed);
    const family = random.pick(['evm', 'solana'] as const);
    const retractions = further ? 0.15 : random.pick([0.02, 0.1]);
    const market = randomMarket(seed, { family, groups: random.int(40, 80), retractions });
    const { checkpoints, reads } = await written(store, market, run, random);
    // With as little and with as much room, some histories load the windows' trades as sums.
    const limits = {
      ...(run % 3 === 1 ? LITTLE : PLENTY),
      trades: further ? 0 : run % 2 === 0 ? random.int(0, 6) : 20_000,
    };
    const keepGroups = further ? 0 : random.pick([0, 4, 12]);
    await walk(random, { market, checkpoints, reads, limits, keepGroups });
  }

  it('have met everything, if need be in further histories', async () => {
    // A single history may lack one of them.
    if (oneSeedAsked) return;
    if (met.sumsTakenBack === 0) await history(...WITNESS, true);
    const nothing = () => Object.entries(met).filter(([, count]) => count === 0);
    for (let run = runs.length; nothing().length > 0 && run < runs.length + MOST_FURTHER; run++) {
      await history(runs[0]! + run * 1_000_003, run, true);
    }
    expect({ seeds: runs, nothing: nothing() }).toEqual({ seeds: runs, nothing: [] });
  });
});

const MOST_FURTHER = 20;
/** Seed and run of a history in which sums are taken back: most others have no retraction that deep. */
const WITNESS = [900_141_106, 3] as const;
const PLENTY = { bytes: 64 * 1024 * 1024, entries: 100_000 };
const LITTLE = { bytes: 60_000, entries: 80 };
const met = {
  views: 0,
  hotViews: 0,
  trades: 0,
  candles: 0,
  tokens: 0,
  holders: 0,
  wallets: 0,
  retractions: 0,
  sumsTakenBack: 0,
  little: 0,
  meanwhile: 0,
};

interface Walk {
  market: RandomMarket;
  checkpoints: Checkpoint[];
  reads: MarketReads;
  limits: HotLimits;
  keepGroups: number;
}

async function walk(random: SeededRandom, { market, checkpoints, reads, limits, keepGroups }: Walk): Promise<void> {
  const counted = new CountedReads(reads);
  const [first] = checkpoints;
  const { generation, epoch, foldVersion, seq } = first!;
  const session = new Session({
    ...{ pointer: { version: 1, generation, epoch, foldVersion, seq }, checkpoint: first!, reads: counted.reads },
    ...{ maxTailBytes: Number.POSITIVE_INFINITY, hot: limits, keepGroups },
  });
  const subjects = subjectsOf(random, market);
  /** Answers that are on their way while groups and checkpoints come. */
  const open: { found: Promise<unknown>; cold: ChainView; subject: Subject }[] = [];
  const settle = async () => {
    for (const { found, cold, subject } of open.splice(0)) expect(await found).toEqual(await answers(cold, subject));
  };
  let resets = 0;
  for (const group of market.facts.slice(first!.seq + 1)) {
    session.tail.push(group, 1);
    if (group.kind === 'retract') met.retractions++;
    if (random.chance(0.3)) {
      const written = checkpoints.filter((checkpoint) => checkpoint.seq <= group.seq + 2);
      session.see(written.at(-1)!);
    } else session.applySeen();
    if (session.hot.use.resets !== resets) counted.forget();
    resets = session.hot.use.resets;
    for (let turns = open.length > 0 ? random.int(0, 3) : 0; turns > 0; turns--) await setImmediate();
    if (random.chance(0.2)) await settle();
    if (group.seq % 5 !== 0) continue;
    const base = random.pick(checkpoints.filter((checkpoint) => checkpoint.seq <= group.seq));
    const there = takeView(market, base, reads, group.seq);
    if (there === null) continue;
    const cold = { ...there, reads };
    const own = viewAt(market.chain, session);
    const view = { ...own, reads: frozen(own.reads) };
    const isHot = view.tables.seq === session.hot.seq;
    counted.on = isHot && limits.bytes === PLENTY.bytes && open.length === 0;
    met.views++;
    if (isHot) met.hotViews++;
    if (limits.bytes === LITTLE.bytes) met.little++;
    for (const subject of subjects) {
      if (random.chance(0.2)) {
        counted.on = false;
        const found = answers(view, subject);
        found.catch(() => undefined);
        open.push({ found, cold, subject });
        met.meanwhile++;
        continue;
      }
      const compare = random.chance(0.25);
      const hot = await answers(view, subject);
      if (compare) expect(hot).toEqual(await answers(cold, subject));
      expect(session.hot.use.bytes).toBeLessThanOrEqual(limits.bytes);
      expect(session.hot.use.entries).toBeLessThanOrEqual(limits.entries);
    }
  }
  await settle();
  expect({ seed: random.seed, twice: counted.twice }).toEqual({ seed: random.seed, twice: [] });
}

interface Subject {
  token: Hex;
  wallet: Hex;
}

/** Tokens and wallets that trade, rather one whose holders are all known, and the coin. */
function subjectsOf(random: SeededRandom, { facts, chain }: RandomMarket): Subject[] {
  const trades = facts.flatMap((group) => (group.kind === 'block' ? group.trades : []));
  if (trades.length === 0) return [];
  const counted = facts.flatMap((group) => (group.kind === 'block' ? (group.tokenHolders ?? []) : []));
  const complete = new Set(counted.flatMap(({ token, standing }) => (standing === COMPLETE ? token : [])));
  const known = trades.filter(({ base }) => complete.has(base));
  const { base, wallet } = random.pick(known.length > 0 ? known : trades);
  return [
    { token: base, wallet },
    { token: chain.wrappedNative.token, wallet: random.pick(trades).wallet },
  ];
}

/** What the hot routes are made of. */
async function answers(view: ChainView, { token, wallet }: Subject) {
  const { trades, more } = await readTrades(view, { token, limit: 12 });
  const tags = await readTags(
    view,
    trades.map((trade) => ({ token, wallet: trade.wallet })),
  );
  const candles = { token, limit: 20, fill: false, continuous: false } as const;
  const [minutes, hours, coin] = [
    await readCandles(view, { ...candles, interval: '1m', currency: 'usd' }),
    await readCandles(view, { ...candles, interval: '1h', currency: 'usd', continuous: true }),
    await readCandles(view, { ...candles, interval: '15m', currency: 'native' }),
  ];
  const holders = await readHolders(view, token, 0, 10);
  const wallets = holders.rows.map((row) => row.wallet);
  const state = await readToken(view, token);
  const ofWallet = await readTrades(view, { wallet, limit: 8 });
  const [holdings, positions] = [await readHoldings(view, [wallet]), await readWalletPositions(view, [wallet])];
  if (trades.length > 0) met.trades++;
  if (minutes.candles.length > 0) met.candles++;
  if (wallets.length > 0) met.holders++;
  if (state !== null) met.tokens++;
  if (positions.length > 0) met.wallets++;
  return {
    trades: { rows: trades.map(withoutSeq), more, tags: trades.map((trade) => tags.of(token, trade.wallet)) },
    ...{ minutes, hours, coin, holders, holdings, positions },
    state: state && withoutPlaces(state),
    kinds: await readHolderKinds(view, wallets),
    traders: await readTraders(view, token, 0, 5),
    prices: await readTokenPrices(view, [token]),
    ofWallet: { rows: ofWallet.trades.map(withoutSeq), more: ofWallet.more },
    profits: await readWalletProfits(view, wallet, 0, view.head.time + 1),
  };
}

/** What the answers show of a token: rows of the tables have places, those of the tail have none. */
function withoutPlaces({ record, pools, ...state }: TokenState) {
  const named = (row: TokenRecord | null) => row && [row.token, row.symbol, row.name, row.decimals, row.totalSupply];
  return {
    ...{ ...state, record: named(record) },
    pools: pools.map(({ pool, otherRecord, ...rest }) => {
      const { token0, token1, venue, kind, feePpm, tickSpacing, created } = pool;
      const own = { pool: pool.pool, token0, token1, venue, kind, feePpm, tickSpacing, created };
      return { ...rest, pool: own, other: named(otherRecord) };
    }),
  };
}

/** Rows of the tables name their group, those of the tail do not. */
function withoutSeq<Row extends object>(row: Row): Omit<Row, 'seq'> {
  const { seq: _, ...rest } = row as Row & { seq?: number };
  return rest as Omit<Row, 'seq'>;
}

/** Reads whose answers cannot be changed: what is held is given out more than once, and stays as it was given out. */
function frozen(reads: MarketReads): MarketReads {
  return new Proxy(reads, {
    get: (target, name) => {
      const read = Reflect.get(target, name) as (...args: unknown[]) => Promise<unknown>;
      return async (...args: unknown[]) => freeze(await read.apply(target, args));
    },
  });
}

function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) freeze(part);
  return Object.freeze(value);
}

/** Reads that note for which keys the tables are asked while `on`. */
class CountedReads {
  on = false;
  readonly twice: string[] = [];
  readonly reads: MarketReads;
  private asked = new Set<string>();
  /** How often the tables were asked for sums since states were given up last. */
  private sums = 0;

  constructor(reads: MarketReads) {
    const entries = Object.entries(reads).map(([name, read]) => [
      name,
      (...args: unknown[]) => {
        if (name === 'recentSums') this.sums++;
        for (const key of keysOf(name, args.slice(1))) this.note(key);
        return (read as (...all: unknown[]) => unknown)(...args);
      },
    ]);
    this.reads = Object.fromEntries(entries) as MarketReads;
  }

  /** States were given up. */
  forget(): void {
    if (this.sums > 0) met.sumsTakenBack++;
    this.sums = 0;
    this.asked = new Set();
  }

  private note(key: string): void {
    if (!this.on) return;
    if (this.asked.has(key)) this.twice.push(key);
    this.asked.add(key);
  }
}

/** The prices of a stable's candles are always read from the tables. */
const ALWAYS = ['referenceSpans', 'referenceAtTrades'];

function keysOf(name: string, args: readonly unknown[]): string[] {
  if (ALWAYS.includes(name)) return [];
  if (name === 'keyedRows') {
    const [fold, bounds, rank] = args as [KeyedFold, KeyBounds, { by: string } | undefined];
    const { wallet, ...others } = bounds;
    const wallets = wallet !== undefined && 'in' in wallet ? wallet.in : [JSON.stringify(wallet)];
    const rest = JSON.stringify(others);
    return wallets.map((wallet) => `${fold.table} ${rank?.by} ${wallet} ${rest}`);
  }
  const [ids, ...rest] = args;
  // A page further back is no reason to hold more: on Solana a long transaction may reach there.
  if (name === 'tradesPage' && (ids as { before?: object }).before !== undefined) return [];
  if (!Array.isArray(ids))
    return [`${name} ${JSON.stringify(args, (_, value) => (typeof value === 'bigint' ? `${value}` : value))}`];
  return ids.map((id) => `${name} ${id} ${JSON.stringify(rest)}`);
}
