import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AnvilRpc } from '#libs/devkit/devnet/evm/anvil-rpc.js';
import { type LocalChain, startLocalChain } from '#libs/devkit/devnet/evm/local-chain.js';
import {
  type LocalSolanaMarket,
  startLocalSolanaMarket,
} from '#libs/devkit/devnet/solana/market/local-solana-market.js';
import { describeWithKafka, type KafkaBroker, startKafkaBroker } from '#libs/devkit/testing/kafka-broker.js';
import { removeFolderSync } from '#libs/devkit/testing/remove-folder.js';
import { openKafkaLog } from '#libs/pipeline/event-log/kafka/kafka-log.js';
import { keyedPages } from '#libs/pipeline/event-log/keyed-pages.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { type ClickHouseEndpoint, startClickHouseEndpoint } from '#libs/pipeline/store/test/clickhouse-endpoint.js';
import type { RetractionDocument, TradeDocument } from '#libs/protocol/codec/keyed-json.js';
import { retractionsTopic, type TopicSpec, tradesTopic } from '#libs/protocol/topics.js';
import type { EvmQuote } from '#libs/serve/contract/rest/evm/quote-body.js';
import type { ReadyBody } from '#libs/serve/contract/rest/health-body.js';
import type { ScreenerAnswer } from '#libs/serve/contract/rest/screener-body.js';
import type { ChainStatus, StatusAnswer } from '#libs/serve/contract/rest/status-body.js';
import { MarketClient } from './market-client.js';
import { buildPrograms, endPrograms, PROJECT, Program } from './program.js';
import { describeSeveralInstances } from './several-instances.js';
import { headOf, swapIds } from './swap-receipts.js';

/**
 * The shape of production: ingest, api and router as processes of their own, each with its own folder, that share
 * nothing but a Kafka broker and a ClickHouse endpoint. Whatever the API shows is compared with the chain's receipts.
 */
const WSOL = 'So11111111111111111111111111111111111111112';
const HISTORY = 60;
/** A slice of the day that is long enough for many candles. */
const CANDLE_ROWS = 500;
/** Three processes, a broker and a chain start and catch up in here, on a machine that may be busy. */
const LIMIT_MS = 400_000;

describeWithKafka('the apps as separate processes, over Kafka and ClickHouse (long)', () => {
  const root = mkdtempSync(join(tmpdir(), 'tidepool-processes-'));
  let broker: KafkaBroker;
  let clickhouse: ClickHouseEndpoint;
  let chain: LocalChain;
  let solana: LocalSolanaMarket;
  let rpc: AnvilRpc;
  let log: EventLog;
  let ingest: Program;
  let api: Program;
  let router: Program;
  let market: MarketClient;
  const urls: Record<string, string> = {};

  const solanaNode = (): Record<string, string> => ({
    TIDEPOOL_RPC_SOL: `${solana.rpcUrl},${solana.wsUrl}`,
    TIDEPOOL_START_SOL: '0',
  });

  const start = (app: 'ingest' | 'api' | 'router', name: string = app, more: Record<string, string> = {}): Program => {
    const env: Record<string, string> = {
      TIDEPOOL_DATA_DIR: join(root, name),
      TIDEPOOL_KAFKA_BROKERS: broker.brokers.join(','),
      CLICKHOUSE_URL: clickhouse.url,
      TIDEPOOL_CHAINS: app === 'router' ? 'eth' : 'eth,sol',
      TIDEPOOL_ADMIN_PORT: '0',
      TIDEPOOL_API_PORT: '0',
      TIDEPOOL_WS_PORT: '0',
      TIDEPOOL_RPC_PORT: '0',
      TIDEPOOL_SOL_PORT: '0',
      TIDEPOOL_RELAY_PORT: '0',
      TIDEPOOL_BASE_PORT: '0',
    };
    if (app !== 'api') env.TIDEPOOL_RPC_ETH = `${chain.rpcUrl},${chain.wsUrl}`;
    if (app === 'ingest') Object.assign(env, { TIDEPOOL_START_ETH: '0', ...solanaNode() });
    if (app === 'router') {
      env.TIDEPOOL_CODE_PINS_ETH = [...chain.codePins].map(([address, hash]) => `0x${address}=0x${hash}`).join(',');
    }
    const main = join(PROJECT, 'dist/apps', app, 'src/main.js');
    return new Program({ args: [main], env: { ...env, ...more }, cwd: join(root, 'empty') });
  };

  beforeAll(async () => {
    buildPrograms();
    mkdirSync(join(root, 'empty'));
    broker = await startKafkaBroker();
    clickhouse = await startClickHouseEndpoint({ dir: join(root, 'clickhouse') });
    chain = await startLocalChain({
      ...{ chain: 'eth', dataDir: join(root, 'chain'), historyBlocks: HISTORY, autoMine: false },
    });
    solana = await startLocalSolanaMarket({
      ...{ dataDir: join(root, 'solana'), historyBlocks: HISTORY, autoSlots: false },
      main: join(PROJECT, 'dist/libs/devkit/devnet/solana/market/local-solana-market-main.js'),
    });
    rpc = new AnvilRpc(chain.rpcUrl);
    log = await openKafkaLog({ brokers: broker.brokers, clientId: 'outsider' });
  }, LIMIT_MS);

  afterAll(async () => {
    await endPrograms();
    await log?.close();
    await rpc?.close();
    await chain?.stop();
    await solana?.stop();
    await clickhouse?.close();
    await broker?.stop();
    removeFolderSync(root);
  }, LIMIT_MS);

  /** Waits until the API's newest block is the chain's. */
  const caughtUp = async (): Promise<void> => {
    const head = await headOf(rpc);
    await api
      .until(`block ${head.height} ${head.hash}`, async () => (await market.chain('eth')).head?.blockHash === head.hash)
      .catch((error: Error) => {
        throw new Error(`${error.message}\ningest says:\n${ingest.words}`);
      });
  };

  const servedIds = async (): Promise<string[]> => {
    const ids = new Set<string>();
    for (const { address } of chain.tokens) for (const { id } of await market.trades(address)) ids.add(id);
    return [...ids].sort();
  };

  test(
    'each app starts by itself and says that it is healthy',
    async () => {
      ingest = start('ingest');
      api = start('api');
      router = start('router');
      urls.ingest = (await ingest.logged('ingest is running')).admin as string;
      urls.api = (await api.logged('market-data API is listening')).url as string;
      urls.router = (await router.logged('router is listening')).url as string;
      for (const url of Object.values(urls)) {
        const health = await new MarketClient(url, null).get<{ status: string; version: string }>('/health');
        expect(health.status).toBe('ok');
      }
      market = new MarketClient(urls.api, readFileSync(join(root, 'api', 'demo-key'), 'utf8').trim());
      expect(await new MarketClient(urls.api, null).status('/chains')).toBe(401);
    },
    LIMIT_MS,
  );

  test(
    'the API becomes ready through topics and tables alone',
    async () => {
      await api.until('/ready', async () => (await market.status('/ready')) === 200);
      // Ready with the first chain that is served; the other one is a warning until it is.
      await api.until('both chains', async () => (await market.get<ReadyBody>('/ready')).warnings.length === 0);
      expect(await market.get<ReadyBody>('/ready')).toEqual({ ready: true, reasons: [], warnings: [] });
      await caughtUp();
      const head = await headOf(rpc);
      expect((await market.chain('eth')).head).toMatchObject({ block: head.height, blockHash: head.hash });
    },
    LIMIT_MS,
  );

  test(
    'the router quotes at the head, from topics alone',
    async () => {
      const key = readFileSync(join(root, 'router', 'demo-key'), 'utf8').trim();
      const doors = new MarketClient(urls.router!, key);
      const usdc = chain.tokens.find(({ symbol }) => symbol === 'USDC')!.address;
      const path = `/evm/quote?chain=eth&inputMint=native&outputMint=${usdc}&amount=1000000000000000000`;
      // Quotes ask for a fresh head.
      await chain.mine();
      await router.until('a quote', async () => (await doors.status(path)) === 200);
      const quote = await router.until('a quote at the head', async () => {
        const answer = await doors.get<EvmQuote>(path);
        return answer.blockHash === (await headOf(rpc)).hash ? answer : null;
      });
      expect(BigInt(quote.outAmount)).toBeGreaterThan(0n);
    },
    LIMIT_MS,
  );

  test(
    'the API tells how the ingest in another process is, and lists what it indexed',
    async () => {
      const head = await headOf(rpc);
      const eth = async (): Promise<ChainStatus> => (await market.get<StatusAnswer>('/status')).data.chains[0]!;
      // What a stage stumbled over while the broker was new is said for a while after it got over it.
      await api.until('/status at the head without trouble', async () => {
        const { head: indexedHead, trouble } = await eth();
        return indexedHead?.block === head.height && trouble === null;
      });
      const { state, rpc: nodes, trouble, indexed } = await eth();
      expect({ state, trouble, nodes: nodes.map(({ name, ok }) => ({ name, ok })) }).toEqual({
        state: 'live',
        trouble: null,
        nodes: [
          { name: 'node 1', ok: true },
          { name: 'node 2', ok: true },
        ],
      });
      expect(indexed?.block).toBe(head.height);
      const { topics } = (await market.get<StatusAnswer>('/status')).data;
      const blocks = topics.find(({ name }) => name.startsWith('blocks.eth'));
      expect(blocks?.records).toBeGreaterThan(HISTORY);
      const { data } = await market.get<ScreenerAnswer>('/screener?limit=200');
      const listed = data.map(({ address }) => address.toLowerCase());
      for (const { address } of chain.tokens) expect(listed).toContain(address.toLowerCase());
    },
    LIMIT_MS,
  );

  test(
    'serves a token, and exactly the swaps of the receipts as trades',
    async () => {
      const weth = chain.tokens.find(({ symbol }) => symbol === 'WETH')!;
      const { data } = await market.token(weth.address);
      expect(data.address.toLowerCase()).toBe(weth.address.toLowerCase());
      expect(data.priceUsd).toBeGreaterThan(0);
      const served = await servedIds();
      expect(served.length).toBeGreaterThan(HISTORY);
      expect(served).toEqual(await swapIds(rpc));
    },
    LIMIT_MS,
  );

  test(
    'answers for Solana what all apps in one process answer over the same node',
    async () => {
      const alone = new Program({
        args: [join(PROJECT, 'dist/apps/all-in-one/src/main.js')],
        env: {
          ...{ TIDEPOOL_DATA_DIR: join(root, 'alone'), TIDEPOOL_CHAINS: 'sol', ...solanaNode() },
          ...{
            TIDEPOOL_BASE_PORT: '0',
            TIDEPOOL_API_PORT: '0',
            TIDEPOOL_WS_PORT: '0',
            TIDEPOOL_RPC_PORT: '0',
            TIDEPOOL_SOL_PORT: '0',
            TIDEPOOL_RELAY_PORT: '0',
            TIDEPOOL_ADMIN_PORT: '0',
          },
        },
        cwd: join(root, 'empty'),
      });
      const { api: url } = await alone.logged('listening');
      const other = new MarketClient(url as string, readFileSync(join(root, 'alone', 'demo-key'), 'utf8').trim());
      // A fork among what both have read, and more slots than are confirmed at once.
      await alone.until('the history', async () => ((await other.chain('sol')).head?.block ?? 0) >= HISTORY);
      await solana.fork(3, { drop: 0.5 });
      for (let i = 0; i < 4; i++) await solana.slot();
      const confirmed = (await solana.slot()).parentSlot;
      for (const [program, client] of [
        [api, market],
        [alone, other],
      ] as const) {
        await program.until('the confirmed slot', async () => (await client.chain('sol')).head?.block === confirmed);
      }
      const { data: coin } = await other.token(WSOL, 'sol');
      const curve = coin.pools.find(({ dex }) => dex === 'Tidepool Launchpad')!;
      for (const token of [WSOL, curve.quoteToken]) {
        expect(await market.token(token, 'sol')).toEqual(await other.token(token, 'sol'));
        const trades = await market.trades(token, 'sol');
        expect(trades.length).toBeGreaterThan(0);
        expect(trades).toEqual(await other.trades(token, 'sol'));
        const query = 'interval=5m&limit=50';
        const candles = await market.candles(token, query, undefined, 'sol');
        expect(candles.reduce((sum, candle) => sum + candle.trades, 0)).toBe(trades.length);
        expect(candles).toEqual(await other.candles(token, query, undefined, 'sol'));
      }
      // A list may be of a moment ago: on a slow machine of a slot before.
      const list = ([program, client]: readonly [Program, MarketClient]) =>
        program.until('the list of the confirmed slot', async () => {
          const answer = await client.get<ScreenerAnswer>('/screener?chain=sol&sort=liquidity&limit=200');
          return answer.meta.chains.sol?.block === confirmed ? answer.data : null;
        });
      expect(await list([api, market])).toEqual(await list([alone, other]));
      expect(await alone.interrupt()).toBe(0);
    },
    LIMIT_MS,
  );

  test(
    `walks ${CANDLE_ROWS} candles in pages that fit together and hold every trade`,
    async () => {
      const { address } = chain.tokens.find(({ symbol }) => symbol === 'WETH')!;
      const walked = await market.candles(address, 'interval=15s&fill=true&limit=90', CANDLE_ROWS);
      expect(walked.length).toBeGreaterThanOrEqual(CANDLE_ROWS);
      for (let i = 1; i < walked.length; i++) expect(walked[i]!.time - walked[i - 1]!.time).toBe(15_000);
      const once = await market.candles(address, 'interval=15s&fill=true&limit=1000', 1);
      expect(walked).toEqual(once.slice(-walked.length));
      const trades = await market.trades(address);
      const all = await market.candles(address, 'interval=15s&limit=100');
      expect(all.reduce((sum, candle) => sum + candle.trades, 0)).toBe(trades.length);
      const byTime = new Map<number, number>();
      for (const { time } of trades) byTime.set(time - (time % 15_000), (byTime.get(time - (time % 15_000)) ?? 0) + 1);
      expect(all.map(({ time, trades: count }) => [time, count])).toEqual([...byTime].sort(([a], [b]) => a - b));
    },
    LIMIT_MS,
  );

  describeSeveralInstances({
    ...{ start, servedIds, caughtUp },
    parts: () => ({ log, rpc, chain, api, apiUrl: urls.api! }),
  });

  test(
    'a reorg takes the retracted trades away',
    async () => {
      const gone: string[] = [];
      for (let attempt = 0; gone.length === 0; attempt++) {
        expect(attempt).toBeLessThan(40); // every attempt loses some of the replaced blocks' transactions, or none
        for (let i = 0; i < 6; i++) await chain.mine();
        await caughtUp();
        const before = await servedIds();
        await chain.reorg(5);
        await chain.mine();
        await caughtUp();
        const served = await servedIds();
        expect(served).toEqual(await swapIds(rpc));
        gone.push(...before.filter((id) => !served.includes(id)));
      }
    },
    LIMIT_MS,
  );

  test(
    'kill -9 of ingest: the API goes on answering, and a restart loses and doubles nothing',
    async () => {
      // Killed at once, while the block is on its way, and when it has arrived.
      for (const [round, delayMs] of [0, 60, 400].entries()) {
        await chain.mine();
        await sleep(delayMs);
        expect(await ingest.kill9()).toBe('SIGKILL');
        const before = await servedIds();
        for (let i = 0; i < 3; i++) await chain.mine();
        if (round > 0) await chain.reorg(4);
        expect(await servedIds()).toEqual(expect.arrayContaining(before));
        ingest = start('ingest');
        await caughtUp();
        expect(await servedIds()).toEqual(await swapIds(rpc));
      }
    },
    LIMIT_MS,
  );

  test(
    'the keyed topics tell an outsider the same',
    async () => {
      const retractions = await documents<RetractionDocument>(retractionsTopic);
      const all = await documents<TradeDocument>(tradesTopic);
      expect(new Set(all.map(({ chain: slug }) => slug))).toEqual(new Set(['eth', 'sol']));
      const trades = all.filter(({ chain: slug }) => slug === 'eth');
      expect(retractions.length).toBeGreaterThan(0);
      const isVoid = (trade: TradeDocument): boolean =>
        retractions.some(
          ({ chain: slug, epoch, fromSeq, toSeq }) =>
            slug === trade.chain && epoch === trade.epoch && fromSeq <= trade.seq && trade.seq <= toSeq,
        );
      const standing = trades.filter((trade) => !isVoid(trade));
      expect(trades.length).toBeGreaterThan(standing.length);
      expect(standing.map(({ id }) => id).sort()).toEqual(await swapIds(rpc));
      const newest = standing.reduce((a, b) => (a.seq > b.seq || (a.seq === b.seq && a.ordinal > b.ordinal) ? a : b));
      const [shown] = (await market.trades(newest.baseToken)).filter(({ id }) => id === newest.id);
      expect(shown).toMatchObject({ side: newest.side, wallet: newest.wallet, pool: newest.pool, block: newest.block });
      expect(shown!.tokenAmount).toBe(newest.baseAmount);
      expect(shown!.quoteAmount).toBe(newest.quoteAmount);
    },
    LIMIT_MS,
  );

  test(
    'Ctrl-C ends each in order, with exit code 0',
    async () => {
      for (const program of [router, api, ingest]) expect(await program.interrupt()).toBe(0);
    },
    LIMIT_MS,
  );

  async function documents<T>(topic: TopicSpec): Promise<T[]> {
    const found: T[] = [];
    for (let partition = 0; partition < topic.partitions; partition++) {
      for await (const page of keyedPages(log, topic, { partition, records: 1_000 })) {
        for (const { value } of page) found.push(JSON.parse(Buffer.from(value!).toString('utf8')) as T);
      }
    }
    return found;
  }
});
