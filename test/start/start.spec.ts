import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { routedEvmChains } from '#libs/chain/catalogue/catalogue.js';
import { TIDEPOOL_SWAP } from '#libs/chain/chains/solana/tidepool-programs.js';
import { MARKETS } from '#libs/devkit/devnet/evm/markets/all.js';
import { removeFolderSync } from '#libs/devkit/testing/remove-folder.js';
import { until } from '#libs/devkit/testing/until.js';
import type { TopicState } from '#libs/pipeline/event-log/log.js';
import type { EvmChainsAnswer } from '#libs/serve/contract/rest/evm/chain-body.js';
import type { EvmReadyBody } from '#libs/serve/contract/rest/evm/ready-body.js';
import type { ReadyBody } from '#libs/serve/contract/rest/health-body.js';
import type { ChainStatus, StatusAnswer } from '#libs/serve/contract/rest/status-body.js';
import { MarketClient } from '../multi-process/market-client.js';
import {
  buildPrograms,
  endPrograms,
  isRunning,
  PATIENCE_MS,
  PROJECT,
  Program,
  processesOn,
} from '../multi-process/program.js';

/**
 * `npm start` as a newcomer runs it: one command, one folder, a local chain. What it serves, how it ends, what it leaves
 * behind, and how the next start continues. The tests build on each other: they are one instance's life.
 */
const WSOL = 'So11111111111111111111111111111111111111112';
const WETH = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2';
/** Reorgs of the local chain reach no deeper: blocks below stay. */
const DEEPEST_REORG = 6;
const LIMIT_MS = 3 * PATIENCE_MS;

interface Status {
  pid: number;
  ready: boolean;
  topics: TopicState[];
  readers: { chain: string; generation: number; epoch: number }[];
  localNodes: Record<string, { rpcUrl: string; swapProgram?: string }>;
}

describe('npm start', () => {
  const root = mkdtempSync(join(tmpdir(), 'tidepool-start-'));
  const dir = join(root, 'data');
  const cwd = join(root, 'empty');
  const ports = {
    TIDEPOOL_BASE_PORT: '0',
    TIDEPOOL_API_PORT: '0',
    TIDEPOOL_WS_PORT: '0',
    TIDEPOOL_RPC_PORT: '0',
    TIDEPOOL_SOL_PORT: '0',
    TIDEPOOL_RELAY_PORT: '0',
    TIDEPOOL_ADMIN_PORT: '0',
  };
  let program: Program;
  let market: MarketClient;
  /** Of the first run, for comparison with the next ones. */
  const first = { genesis: '', head: 0, trades: [] as string[] };
  const firstOfSolana = { genesis: '', head: 0, settled: 0, trades: [] as string[] };

  const start = (env: Record<string, string> = {}): Program =>
    new Program({ args: [join(PROJECT, 'scripts/start.mjs')], cwd, env: { ...ports, TIDEPOOL_DATA_DIR: dir, ...env } });

  const tidepool = async (...args: string[]): Promise<{ code: unknown; stdout: string; words: string }> => {
    const command = new Program({
      ...{ args: [join(PROJECT, 'scripts/tidepool.mjs'), ...args], cwd, env: { TIDEPOOL_DATA_DIR: dir } },
    });
    const code = await command.ended();
    return { code, stdout: command.stdout, words: command.words };
  };

  const statusOf = async (): Promise<Status> => {
    const { code, stdout, words } = await tidepool('status', '--json');
    if (code !== 0) throw new Error(`status ends with ${code}: ${words}`);
    return JSON.parse(stdout) as Status;
  };

  const nodePid = (): number => Number(readFileSync(join(dir, 'local-chain/eth/node.pid'), 'utf8'));
  const solanaPid = (): number => {
    const [line] = processesOn(join(dir, 'local-chain/sol'));
    return Number.parseInt(line ?? '', 10);
  };
  const genesis = (): string => {
    const record = JSON.parse(readFileSync(join(dir, 'local-chain/eth/chain.json'), 'utf8')) as { genesisHash: string };
    return record.genesisHash;
  };
  const head = async (): Promise<number> => (await market.chain('eth')).head?.block ?? -1;
  /** Ids of all trades of the coin up to a block, in order. */
  const tradesUpTo = async (block: number): Promise<string[]> =>
    (await market.trades(WETH).catch(explain)).filter((trade) => trade.block <= block).map(({ id }) => id);
  const explain = (error: Error): never => {
    throw new Error(`the ${program.alive ? 'running' : 'ended'} program does not answer\n${program.words}`, {
      cause: error,
    });
  };

  const opened = async (): Promise<void> => {
    const { api } = await program.logged('listening');
    market = new MarketClient(api as string, readFileSync(join(dir, 'demo-key'), 'utf8').trim());
    await program.until('trades of the local chain', async () => {
      const { data } = await market.get<{ data: unknown[] }>(`/tokens/eth/${WETH}/trades?limit=1`);
      return data.length > 0;
    });
  };

  const solana = async (): Promise<ChainStatus> => {
    const { data } = await market.get<StatusAnswer>('/status');
    return data.chains.find(({ chain }) => chain === 'sol')!;
  };
  /** Ids of all trades of wrapped SOL up to a slot, in order. */
  const solanaTradesUpTo = async (slot: number): Promise<string[]> =>
    (await market.trades(WSOL, 'sol')).filter(({ block }) => block <= slot).map(({ id }) => id);
  const solanaGenesis = async (): Promise<string> => {
    // What was served before the stop is served again at once; the node takes longer.
    const { rpcUrl } = await program.until('the local Solana', async () => (await statusOf()).localNodes.sol);
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getGenesisHash' });
    const answer = await fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    return ((await answer.json()) as { result: string }).result;
  };
  const servesSolana = async (): Promise<void> => {
    await program.until('trades of the local Solana', async () => {
      const { data } = await market.get<{ data: unknown[] }>(`/tokens/sol/${WSOL}/trades?limit=1`);
      return data.length > 0;
    });
  };

  const nothingLeft = async (pids: readonly number[]): Promise<void> => {
    const left = (): unknown[] => [...processesOn(dir), ...pids.filter(isRunning)];
    await until('no process of it', () => left().length === 0, { everyMs: 100, howFar: left, patienceMs: PATIENCE_MS });
  };

  beforeAll(() => {
    buildPrograms();
    mkdirSync(cwd);
  }, LIMIT_MS);

  afterAll(async () => {
    await endPrograms();
    await nothingLeft([]);
    removeFolderSync(root);
  }, LIMIT_MS);

  describe('with a local chain of every kind (long)', () => {
    test(
      'serves candles and trades of a local chain, with nothing configured',
      async () => {
        program = start();
        await opened();
        // The whole history: the set-up and 600 blocks.
        await program.until('the history', async () => (await head()) >= 600);
        first.genesis = genesis();
        first.head = await head();
        first.trades = await tradesUpTo(first.head - DEEPEST_REORG);
        expect(first.trades.length).toBeGreaterThan(600);
        // After the trades: the history may still be on its way.
        const candles = await market.candles(WETH, 'interval=1m&limit=1000');
        expect(candles.length).toBeGreaterThan(100);
        const trades = candles.reduce((sum, candle) => sum + candle.trades, 0);
        expect(trades).toBeGreaterThanOrEqual(first.trades.length);
      },
      2 * LIMIT_MS,
    );

    test(
      'greets with the doors, the key and a request that works as it is printed',
      async () => {
        const text = await program.until('the greeting', async () => /curl .*/.exec(program.stdout)?.[0]);
        expect(text).toContain(`$(cat ${join(dir, 'demo-key')})`);
        const url = /"(http[^"]+)"/.exec(text)![1]!;
        expect(url.startsWith(market.url)).toBe(true);
        const { data } = await market.get<{ data: unknown[] }>(url.slice(market.url.length));
        expect(data.length).toBeGreaterThan(0);
      },
      LIMIT_MS,
    );

    test(
      'the router has every EVM chain, and quotes the coin of each that can be run locally',
      async () => {
        const { base } = await program.logged('listening');
        const router = new MarketClient(base as string, readFileSync(join(dir, 'demo-key'), 'utf8').trim());
        const { chains } = await router.get<EvmChainsAnswer>('/evm/chains');
        expect(chains.map(({ chain, chainId }) => [chain, chainId])).toEqual(
          routedEvmChains().map(({ slug, chainId }) => [slug, chainId]),
        );
        const local = chains.filter(({ chain }) => Object.hasOwn(MARKETS, chain));
        expect(local).toHaveLength(Object.keys(MARKETS).length);
        for (const { chain, intermediates, wrappedNative } of local) {
          const stable = intermediates.find((token) => token !== wrappedNative)!;
          const path = `/evm/quote?chain=${chain}&inputMint=native&outputMint=${stable}&amount=1000000000000000`;
          await program.until(`a quote on ${chain}`, async () => (await router.status(path)) === 200);
        }
        const ready = await router.get<EvmReadyBody>('/evm/ready');
        expect(ready).toMatchObject({ ready: true, reasons: [] });
        expect(ready.chains.map(({ chain, ready: one }) => [chain, one])).toEqual(
          chains.map(({ chain }) => [chain, Object.hasOwn(MARKETS, chain)]),
        );
      },
      2 * LIMIT_MS,
    );

    test(
      'Solana is served like the others: its coin, a token on a curve, its state',
      async () => {
        await servesSolana();
        await program.until('the end of its history', async () => (await solana()).state === 'live');
        const candles = await market.candles(WSOL, 'interval=1m&limit=1000', undefined, 'sol');
        expect(candles.length).toBeGreaterThan(20);
        const { data: coin } = await market.token(WSOL, 'sol');
        expect(coin).toMatchObject({ chain: 'sol', symbol: 'SOL', decimals: 9 });
        expect(coin.priceUsd).toBeGreaterThan(0);
        const curve = coin.pools.find(({ dex, liquidityUsd }) => dex === 'Tidepool Launchpad' && liquidityUsd! > 0)!;
        const { data: token } = await market.token(curve.quoteToken, 'sol');
        expect(token.symbol).toBe(curve.quoteSymbol);
        expect(token.priceUsd).toBeGreaterThan(0);
        const [trade] = await market.trades(curve.quoteToken, 'sol');
        expect(trade).toMatchObject({ chain: 'sol', token: curve.quoteToken, quoteToken: WSOL, quoteSymbol: 'SOL' });
        expect(await market.candles(curve.quoteToken, 'interval=1m', undefined, 'sol')).not.toEqual([]);

        const { name, trouble, rpc, head: newest, finalized } = await solana();
        expect({ name, trouble }).toEqual({ name: 'Solana', trouble: null });
        expect(rpc.map(({ transport, ok }) => [transport, ok])).toEqual([
          ['http', true],
          ['ws', true],
        ]);
        firstOfSolana.genesis = await solanaGenesis();
        firstOfSolana.head = newest!.block;
        firstOfSolana.settled = finalized!;
        firstOfSolana.trades = await solanaTradesUpTo(finalized!);
        expect(firstOfSolana.trades.length).toBeGreaterThan(50);
      },
      2 * LIMIT_MS,
    );

    test(
      'tidepool program show finds the local Solana of the running instance by itself',
      async () => {
        const { localNodes } = await statusOf();
        expect(localNodes.sol?.swapProgram).toBe(TIDEPOOL_SWAP);
        const { code, stdout } = await tidepool('program', 'show');
        expect(code).toBe(0);
        expect(stdout).toMatch(new RegExp(`^program +${TIDEPOOL_SWAP}$`, 'm'));
      },
      LIMIT_MS,
    );

    test(
      'tidepool status and topics ls tell of the running instance',
      async () => {
        const status = await tidepool('status');
        expect(status).toMatchObject({ code: 0 });
        expect(status.stdout).toContain(`on ${dir}`);
        expect(status.stdout).toMatch(/source\.eth +running/);
        const { code, stdout } = await tidepool('topics', 'ls');
        expect(code).toBe(0);
        for (const name of ['epochs', 'blocks.eth.e1', 'facts.eth.e1.f']) expect(stdout).toContain(name);
      },
      LIMIT_MS,
    );

    test(
      'tidepool replay flips to new tables while the API keeps answering',
      async () => {
        const before = await statusOf();
        const below = (await head()) - DEEPEST_REORG;
        const trades = await tradesUpTo(below);
        let answers = 0;
        let done = false;
        const asking = (async () => {
          while (!done) {
            const { data } = await market.get<{ data: unknown[] }>(`/tokens/eth/${WETH}/candles?interval=5m&limit=50`);
            if (data.length === 0) throw new Error('no candles while a replay runs');
            answers++;
            await sleep(20);
          }
        })();
        const replay = await tidepool('replay', 'eth');
        const { generation } = before.readers[0]!;
        expect(replay.stdout).toContain(`eth: generation ${generation + 1} is served now`);
        expect(replay.code).toBe(0);
        await program.until('the new generation', async () => (await statusOf()).readers[0]!.generation > generation);
        done = true;
        await asking;
        expect(answers).toBeGreaterThan(10);
        expect(await tradesUpTo(below)).toEqual(trades);
      },
      LIMIT_MS,
    );

    test(
      'a second instance on the same folder is refused with exit code 3',
      async () => {
        const second = start();
        expect(await second.ended()).toBe(3);
        expect(second.words).toContain(`${dir} is in use`);
      },
      LIMIT_MS,
    );

    test(
      'a port in use names its variable, exit code 4',
      async () => {
        const { port } = new URL(market.url);
        const second = start({ TIDEPOOL_DATA_DIR: join(root, 'other'), TIDEPOOL_API_PORT: port });
        expect(await second.ended()).toBe(4);
        expect(second.words).toContain(`TIDEPOOL_API_PORT: port ${port}`);
      },
      LIMIT_MS,
    );

    test(
      'Ctrl-C ends it with exit code 0 and leaves nothing running',
      async () => {
        const pids = [nodePid(), solanaPid(), (await statusOf()).pid];
        expect(pids.map(isRunning)).toEqual([true, true, true]);
        expect(await program.interrupt()).toBe(0);
        await nothingLeft(pids);
      },
      LIMIT_MS,
    );

    test(
      'the next start goes on with the same chain, the same epoch and the old trades',
      async () => {
        program = start();
        await opened();
        await program.until('new blocks', async () => (await head()) > first.head);
        expect(genesis()).toBe(first.genesis);
        const { topics, readers } = await statusOf();
        expect(readers[0]!.epoch).toBe(1);
        expect(topics.map(({ name }) => name).filter((name) => /^(blocks|facts)\.eth\.e[^1]/.test(name))).toEqual([]);
        expect(await tradesUpTo(first.head - DEEPEST_REORG)).toEqual(first.trades);

        await servesSolana();
        await program.until('new slots', async () => (await solana()).head!.block > firstOfSolana.head);
        expect(await solanaGenesis()).toBe(firstOfSolana.genesis);
        const after = await statusOf();
        expect(after.readers.map(({ chain, epoch }) => `${chain} ${epoch}`)).toContain('sol 1');
        const names = after.topics.map(({ name }) => name);
        expect(names.filter((name) => /^(blocks|facts)\.sol\.e[^1]/.test(name))).toEqual([]);
        expect(await solanaTradesUpTo(firstOfSolana.settled)).toEqual(firstOfSolana.trades);
      },
      2 * LIMIT_MS,
    );

    test(
      'kill -9 of the program leaves no node behind',
      async () => {
        const pids = [nodePid(), solanaPid(), (await statusOf()).pid];
        expect(pids.map(isRunning)).toEqual([true, true, true]);
        process.kill(pids[2]!, 'SIGKILL');
        expect(await program.ended()).toBe(128 + 9);
        await nothingLeft(pids);
      },
      LIMIT_MS,
    );
  });

  test(
    'with Solana alone it greets with a request for Solana that works, and ends on SIGTERM',
    async () => {
      const alone = join(root, 'solana');
      program = start({ TIDEPOOL_DATA_DIR: alone, TIDEPOOL_CHAINS: 'sol' });
      const text = await program.until('the greeting', async () => /curl .*/.exec(program.stdout)?.[0]);
      const url = new URL(/"(http[^"]+)"/.exec(text)![1]!);
      expect(url.pathname).toBe(`/tokens/sol/${WSOL}/candles`);
      const client = new MarketClient(url.origin, readFileSync(join(alone, 'demo-key'), 'utf8').trim());
      const { data } = await client.get<{ data: unknown[] }>(`${url.pathname}${url.search}`);
      expect(data.length).toBeGreaterThan(0);
      expect(await client.get<ReadyBody>('/ready')).toEqual({ ready: true, reasons: [], warnings: [] });
      expect(processesOn(join(alone, 'local-chain/sol'))).toHaveLength(1);
      process.kill(program.pid, 'SIGTERM');
      expect(await program.ended()).toBe(0);
      await nothingLeft([]);
      expect(processesOn(alone)).toEqual([]);
    },
    2 * LIMIT_MS,
  );
});
