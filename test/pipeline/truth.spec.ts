import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  concat,
  decodeFunctionResult,
  encodeFunctionData,
  formatUnits,
  type Hex,
  keccak256,
  numberToHex,
  parseAbi,
} from 'viem';
import { createApi, type RunningApi } from '#apps/api/src/create-api.js';
import { createIngestChain } from '#apps/ingest/src/create-ingest.js';
import { eth } from '#libs/chain/catalogue/test/chain-specs.js';
import { AnvilRpc } from '#libs/devkit/devnet/evm/anvil-rpc.js';
import { type LocalChain, startLocalChain } from '#libs/devkit/devnet/evm/local-chain.js';
import { commitThread } from '#libs/devkit/testing/commit-thread.js';
import { accountsWithoutLimits } from '#libs/devkit/testing/local-accounts.js';
import { removeFolder } from '#libs/devkit/testing/remove-folder.js';
import { testScale as scale, testSeed } from '#libs/devkit/testing/seeded-random.js';
import { until } from '#libs/devkit/testing/until.js';
import { openEmbeddedLog } from '#libs/pipeline/event-log/embedded/embedded-log.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { foldVersion } from '#libs/pipeline/fold/fold-version.js';
import { decodeFactsGroup } from '#libs/pipeline/projections/facts-codec.js';
import { openChdbStore } from '#libs/pipeline/store/chdb-store.js';
import type { AnalyticsStore } from '#libs/pipeline/store/store.js';
import { silentLogger } from '#libs/platform/logger.js';
import type { PoolStateFact } from '#libs/protocol/facts.js';
import { factsTopic } from '#libs/protocol/topics.js';
import type { CandleBody } from '#libs/serve/contract/rest/candle-body.js';
import type { HoldingsAnswer } from '#libs/serve/contract/rest/holder-body.js';
import type { TradeBody, TradesAnswer } from '#libs/serve/contract/rest/trade-body.js';
import { type ChainReader, createChainReader } from '#libs/serve/reader/chain-reader.js';
import { storeSource } from '#libs/serve/reader/store-source.js';
import { MarketClient } from '../multi-process/market-client.js';
import { liquidityUsd, readMarket, type TruthMarket, type TruthTrade } from './truth-market.js';
import type { TruthTokens } from './truth-prices.js';
import { V4_MANAGER } from './truth-v4.js';

/** Trades, candles, prices and pool states that are served equal what the receipts of the local chain say. */
const seed = testSeed();
const HISTORY = Math.max(80, Math.round(400 * scale));
const LIMIT_MS = 400_000;
const NODE = { startHeight: 0, codePins: new Map(), demoRpcUrl: null };

let dir: string;
let chain: LocalChain;
let rpc: AnvilRpc;
let log: EventLog;
let store: AnalyticsStore;
let reader: ChainReader;
let api: RunningApi;
let market: MarketClient;
let tokens: TruthTokens;
const stop = new AbortController();
const running: Promise<void>[] = [];
const failures: unknown[] = [];
const errors: object[] = [];

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tidepool-truth-'));
  chain = await startLocalChain({
    ...{ chain: 'eth', dataDir: join(dir, 'chain'), seed, historyBlocks: HISTORY, autoMine: false, launches: false },
  });
  rpc = new AnvilRpc(chain.rpcUrl);
  const address = (symbol: string) => chain.tokens.find((token) => token.symbol === symbol)!.address.toLowerCase();
  tokens = {
    coin: address('WETH'),
    stables: ['USDC', 'USDT', 'DAI'].map(address),
    decimals: new Map(chain.tokens.map((token) => [token.address.toLowerCase(), token.decimals])),
  };
  log = await openEmbeddedLog({ dir: join(dir, 'log') });
  store = await openChdbStore({ dir: join(dir, 'store') });
  reader = createChainReader({ chain: eth, log, source: storeSource(store, 'eth'), pollMs: 50 });
  const ingest = createIngestChain({
    ...{ log, store, chain: eth, rpcUrls: [chain.rpcUrl, chain.wsUrl], startHeight: 0, dataDir: dir },
    ...{ keyedTopics: false, logger: silentLogger, commitThread, onCheckpoint: () => reader.checkNow() },
  });
  for (const stage of [...ingest.stages, reader]) {
    running.push(stage.run(stop.signal).catch((error: unknown) => void failures.push(error)));
  }
  const accounts = await accountsWithoutLimits(dir);
  const keep = (fields: object) => void errors.push(fields);
  api = await createApi({
    config: { bind: '127.0.0.1', port: 0 },
    readers: new Map([['eth', reader]]),
    endpoints: { of: async () => ({ ...NODE, rpcUrls: [chain.rpcUrl] }) },
    ...{ accounts, log, cursorKey: randomBytes(32), version: '0' },
    logger: { info: () => undefined, warn: () => undefined, error: keep },
  });
  market = new MarketClient(api.url, accounts.demo.key);
}, LIMIT_MS);

afterAll(async () => {
  stop.abort();
  await Promise.all(running);
  await api?.close();
  await store?.close();
  await log?.close();
  await rpc?.close();
  await chain?.stop();
  await removeFolder(dir);
}, LIMIT_MS);

/** What the receipts say, once the API serves their head. */
async function caughtUp(): Promise<TruthMarket> {
  const truth = await readMarket(rpc, tokens);
  const isServed = async (): Promise<boolean> => {
    if (failures.length > 0) throw failures[0];
    return (await servedHead()) === truth.head.hash;
  };
  await until('the head in what is served', isServed, { everyMs: 50 });
  return truth;
}

async function servedHead(): Promise<string | null> {
  return reader.status().ready ? ((await market.chain('eth')).head?.blockHash ?? null) : null;
}

const number = (value: bigint | null, scaledBy: number) =>
  value === null ? null : Number(formatUnits(value, scaledBy));

/** The trade as the API has to show it from one of its tokens. */
function tradeRow(trade: TruthTrade, token: string): Omit<TradeBody, 'tags' | 'uncounted'> {
  const isBase = token === trade.base;
  const [other, amount, otherAmount] = isBase
    ? [trade.quote, trade.baseAmount, trade.quoteAmount]
    : [trade.base, trade.quoteAmount, trade.baseAmount];
  const decimals = tokens.decimals.get(token)!;
  const otherDecimals = tokens.decimals.get(other)!;
  // From the quote's side: the price at which its amount is worth the base amount at the base's price.
  const price =
    isBase || trade.priceUsd === null
      ? trade.priceUsd
      : (trade.priceUsd * otherAmount * 10n ** BigInt(decimals)) / (amount * 10n ** BigInt(otherDecimals));
  const native = price === null || trade.coinUsd === null ? null : (price * 10n ** 36n) / trade.coinUsd;
  const symbol = chain.tokens.find(({ address }) => address.toLowerCase() === other)!.symbol;
  const { id, pool, dex, wallet, time, block, signature } = trade;
  return {
    ...{ id, chain: 'eth', token, pool, dex, wallet, sender: wallet, time, block, signature },
    side: isBase ? trade.side : trade.side === 'buy' ? 'sell' : 'buy',
    tokenAmount: formatUnits(amount, decimals),
    quoteToken: other,
    quoteSymbol: symbol === 'WETH' ? 'ETH' : symbol,
    quoteAmount: formatUnits(otherAmount, otherDecimals),
    priceUsd: number(price, 36),
    priceNative: number(native, 36),
    volumeUsd: number(trade.volumeUsd, 18),
    volumeNative: number(trade.volumeCoin, 18),
    counted: isBase && trade.counted,
  };
}

const ofToken = ({ trades }: TruthMarket, token: string) =>
  trades.filter(({ base, quote }) => base === token || quote === token);

function candlesOf(truth: TruthMarket, token: string, lengthMs: number): CandleBody[] {
  const buckets = new Map<number, TruthTrade[]>();
  for (const trade of ofToken(truth, token)) {
    const time = trade.time - (trade.time % lengthMs);
    buckets.set(time, [...(buckets.get(time) ?? []), trade]);
  }
  return [...buckets].map(([time, trades]) => {
    const prices = trades.filter(({ base, counted }) => counted && base === token).map(({ priceUsd }) => priceUsd!);
    const ascending = [...prices].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
    const sum = (of: (trade: TruthTrade) => bigint | null) =>
      number(
        trades.reduce((total, trade) => total + (of(trade) ?? 0n), 0n),
        18,
      )!;
    const buys = trades.filter(({ base, side }) => (side === 'buy') === (base === token)).length;
    return {
      time,
      open: number(prices[0] ?? null, 36),
      high: number(ascending.at(-1) ?? null, 36),
      low: number(ascending[0] ?? null, 36),
      close: number(prices.at(-1) ?? null, 36),
      volumeUsd: sum(({ volumeUsd }) => volumeUsd),
      volumeNative: sum(({ volumeCoin }) => volumeCoin),
      loopVolumeUsd: 0,
      trades: trades.length,
      buys,
      sells: trades.length - buys,
    };
  });
}

async function compareTrades(truth: TruthMarket): Promise<string[]> {
  const ids = new Set<string>();
  for (const token of tokens.decimals.keys()) {
    const pages = await market.pages<TradesAnswer>(`/tokens/eth/${token}/trades?limit=37`);
    expect(new Set(pages.map(({ meta }) => meta.blockHash))).toEqual(new Set([truth.head.hash]));
    // Tags have an oracle of their own.
    const rows = pages.flatMap(({ data }) => data.map(({ tags: _tags, uncounted: _why, ...row }) => row));
    const expected = ofToken(truth, token).map((trade) => tradeRow(trade, token));
    expect({ seed, rows }).toEqual({ seed, rows: expected.reverse() });
    for (const { id } of rows) ids.add(id);
  }
  return [...ids];
}

async function compareCandles(truth: TruthMarket): Promise<void> {
  for (const symbol of ['WETH', 'OTTR', 'HRBR', 'TOLL']) {
    const token = chain.tokens.find((known) => known.symbol === symbol)!.address.toLowerCase();
    for (const [interval, lengthMs] of [
      ['1m', 60_000],
      ['1h', 3_600_000],
    ] as const) {
      const candles = await market.candles(token, `interval=${interval}&limit=60`);
      expect({ seed, symbol, interval, candles }).toEqual({
        ...{ seed, symbol, interval },
        candles: candlesOf(truth, token, lengthMs),
      });
    }
  }
}

async function comparePrices(truth: TruthMarket): Promise<void> {
  for (const token of tokens.decimals.keys()) {
    const { data } = await market.token(token);
    const pools = truth.pools.filter(({ token0, token1 }) => token0 === token || token1 === token);
    const usd = (pool: (typeof pools)[number]) => liquidityUsd(truth, tokens, pool);
    expect({ seed, token, priceUsd: data.priceUsd, liquidityUsd: data.liquidityUsd }).toEqual({
      ...{ seed, token, priceUsd: number(truth.prices.usd(token), 36) },
      liquidityUsd: number(
        pools.reduce((sum, pool) => sum + (usd(pool) ?? 0n), 0n),
        18,
      ),
    });
    const sorted = <T extends { address: string }>(list: T[]) =>
      list.sort((a, b) => a.address.localeCompare(b.address));
    expect(sorted(data.pools.map(({ address, dex, liquidityUsd: shown }) => ({ address, dex, shown })))).toEqual(
      sorted(pools.map((pool) => ({ address: pool.address, dex: pool.dex, shown: number(usd(pool), 18) }))),
    );
  }
}

const stateAbi = parseAbi([
  'function getReserves() view returns (uint112, uint112, uint32)',
  'function slot0() view returns (uint160, int24, uint16, uint16, uint16, uint8, bool)',
  'function liquidity() view returns (uint128)',
  'function balanceOf(address) view returns (uint256)',
  'function extsload(bytes32[] slots) view returns (bytes32[])',
]);

/** Pool states of `facts`, and those added up from the receipts, against the contracts at the head. */
async function comparePools(truth: TruthMarket): Promise<void> {
  const view = async (to: string, name: 'getReserves' | 'slot0' | 'liquidity'): Promise<bigint[]> => {
    const [data] = await rpc.view([{ to, data: encodeFunctionData({ abi: stateAbi, functionName: name }) }]);
    const result: unknown = decodeFunctionResult({ abi: stateAbi, functionName: name, data: data as Hex });
    return [result].flat() as bigint[];
  };
  const held = async (token: string, owner: string): Promise<bigint> => {
    const data = encodeFunctionData({ abi: stateAbi, functionName: 'balanceOf', args: [owner as Hex] });
    return BigInt((await rpc.view([{ to: token, data }]))[0]!);
  };
  const states = await poolStates();
  expect([...states.keys()].sort()).toEqual(truth.pools.map(({ address }) => address.slice(2)).sort());
  for (const pool of truth.pools) {
    const state = states.get(pool.address.slice(2))!;
    const { address, reserve0, reserve1, sqrtPriceX96, tick, liquidity } = pool;
    if (pool.dex === 'Uniswap V4') {
      const { ticks: _, ticksComplete: __, ...priced } = state.concentrated!;
      const [slot0, inRange] = await v4Words(address, [0n, 3n]);
      const onChain = {
        sqrtPriceX96: slot0! & ((1n << 160n) - 1n),
        tick: Number(BigInt.asIntN(24, slot0! >> 160n)),
        liquidity: inRange! & ((1n << 128n) - 1n),
      };
      expect({ address, sqrtPriceX96, tick, liquidity }).toEqual({ address, ...onChain });
      expect({ address, ...priced }).toEqual({ address, ...onChain });
      expect([address, state.reserve0, state.reserve1]).toEqual([address, reserve0, reserve1]);
    } else if (pool.concentrated) {
      const [price, at] = await view(address, 'slot0');
      const onChain = {
        ...{ reserve0: await held(pool.token0, address), reserve1: await held(pool.token1, address) },
        ...{ sqrtPriceX96: price, tick: Number(at), liquidity: (await view(address, 'liquidity'))[0] },
      };
      const { ticks: _, ticksComplete: __, ...price_ } = state.concentrated!;
      expect({ address, reserve0: state.reserve0, reserve1: state.reserve1, ...price_ }).toEqual({
        address,
        ...onChain,
      });
      expect({ address, reserve0, reserve1, sqrtPriceX96, tick, liquidity }).toEqual({ address, ...onChain });
    } else {
      const reserves = (await view(address, 'getReserves')).slice(0, 2);
      expect([address, state.reserve0, state.reserve1]).toEqual([address, ...reserves]);
      expect([address, reserve0, reserve1]).toEqual([address, ...reserves]);
    }
  }
}

/** Words of a pool's state in the storage of the V4 manager, by their place in it. */
async function v4Words(id: string, places: readonly bigint[]): Promise<bigint[]> {
  const state = BigInt(keccak256(concat([id as Hex, numberToHex(6n, { size: 32 })])));
  const slots = places.map((place) => numberToHex(state + place, { size: 32 }));
  const data = encodeFunctionData({ abi: stateAbi, functionName: 'extsload', args: [slots] });
  const [answer] = await rpc.view([{ to: V4_MANAGER, data }]);
  return decodeFunctionResult({ abi: stateAbi, functionName: 'extsload', data: answer as Hex }).map(BigInt);
}

/** As a router keeps them: absolute sets in the order of facts. */
async function poolStates(): Promise<Map<string, PoolStateFact>> {
  const states = new Map<string, PoolStateFact>();
  const options = { fromSeq: 0, signal: stop.signal, untilEnd: true };
  for await (const batch of log.readGroups(factsTopic('eth', 1, foldVersion), options)) {
    for (const { value } of batch) {
      const group = decodeFactsGroup(value);
      if (group.kind !== 'block' && group.kind !== 'retract') continue;
      if (group.kind === 'retract') for (const pool of group.removedPools) states.delete(pool);
      for (const state of group.poolStates) states.set(state.pool, state);
    }
  }
  return states;
}

/** What a trader has of the coin, now and at an earlier block, as the node says. */
async function compareCoins({ trades, head }: TruthMarket): Promise<void> {
  const { wallet } = trades.at(-1)!;
  for (const block of [head.height, head.height - 1]) {
    const asOf = block === head.height ? '' : `?asOfBlock=${block}`;
    const { native } = await market.get<HoldingsAnswer>(`/wallets/eth/${wallet}/holdings${asOf}`);
    const amount = BigInt(await rpc.call<string>('eth_getBalance', [wallet, numberToHex(block)]));
    expect(native).toMatchObject({ symbol: 'ETH', amount: formatUnits(amount, 18), block });
    expect(native!.valueUsd! / (native!.priceUsd! * Number(native!.amount))).toBeCloseTo(1, 9);
  }
}

async function compareAll(truth: TruthMarket): Promise<string[]> {
  const ids = await compareTrades(truth);
  await compareCandles(truth);
  await comparePrices(truth);
  await comparePools(truth);
  await compareCoins(truth);
  expect(ids.sort()).toEqual(truth.trades.map(({ id }) => id).sort());
  expect(errors).toEqual([]);
  return ids;
}

describe(`what is served, and the receipts of the local chain (seed ${seed})`, () => {
  it(
    'trades, candles, prices and pools equal the independent computation',
    async () => {
      let truth = await caughtUp();
      // A short history may have few trades: then it is longer.
      const ofV4 = () => truth.trades.filter(({ dex }) => dex === 'Uniswap V4').length;
      for (let n = 0; n < 40 && (ofV4() === 0 || truth.trades.length <= HISTORY); n++) {
        for (let i = 0; i < 5; i++) await chain.mine();
        truth = await caughtUp();
      }
      expect(truth.pools.length).toBe(chain.pools.length + chain.v4Pools.length);
      expect(ofV4()).toBeGreaterThan(0);
      expect(truth.trades.length).toBeGreaterThan(HISTORY);
      expect(truth.trades.some(({ counted }) => counted)).toBe(true);
      await compareAll(truth);
    },
    LIMIT_MS,
  );

  it(
    'blocks at the head appear, and after a reorg the retracted trades are gone',
    async () => {
      let gone: string[] = [];
      for (let attempt = 0; gone.length === 0; attempt++) {
        // Every attempt loses some of the replaced blocks' transactions, or none.
        expect(attempt).toBeLessThan(40);
        for (let i = 0; i < 5; i++) await chain.mine();
        const before = await compareAll(await caughtUp());
        await chain.reorg(1 + (attempt % 5));
        await chain.mine();
        const after = new Set(await compareAll(await caughtUp()));
        gone = before.filter((id) => !after.has(id));
      }
    },
    LIMIT_MS,
  );
});
