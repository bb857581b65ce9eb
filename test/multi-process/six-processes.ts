import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { type RedisServer, startRedis } from '#apps/router/src/held/test/redis-server.js';
import { AnvilRpc } from '#libs/devkit/devnet/evm/anvil-rpc.js';
import { type LocalChain, startLocalChain } from '#libs/devkit/devnet/evm/local-chain.js';
import { freePort } from '#libs/devkit/testing/guarded-server.js';
import { type KafkaBroker, startKafkaBroker } from '#libs/devkit/testing/kafka-broker.js';
import { removeFolderSync } from '#libs/devkit/testing/remove-folder.js';
import { openKafkaLog } from '#libs/pipeline/event-log/kafka/kafka-log.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { openClickHouseStore } from '#libs/pipeline/store/clickhouse-store.js';
import type { AnalyticsStore } from '#libs/pipeline/store/store.js';
import { type ClickHouseEndpoint, startClickHouseEndpoint } from '#libs/pipeline/store/test/clickhouse-endpoint.js';
import { AccountBook } from '#libs/serve/accounts/account-book.js';
import { buildPrograms, endPrograms, PROJECT, Program } from './program.js';

/** One of the six: where its listeners are. */
export interface Process {
  readonly name: string;
  readonly app: 'api' | 'router';
  readonly admin: number;
  program: Program;
  /** By the names of listeners: api, ws and rpc, or base, sol and relay. */
  urls: Record<string, string>;
}

export interface Counted {
  readonly requests: number;
  readonly credits: number;
  readonly refused: number;
}

const HISTORY = 20;

/** Three api and three router processes on one Redis, one Kafka, one ClickHouse endpoint and one chain that is indexed. */
export class SixProcesses {
  readonly processes: Process[] = [];
  log!: EventLog;
  store!: AnalyticsStore;
  private root = '';
  private broker!: KafkaBroker;
  private clickhouse!: ClickHouseEndpoint;
  private redis!: RedisServer;
  private chain!: LocalChain;
  private clock!: Redis;
  /** The chain's node. */
  rpc!: AnvilRpc;

  /** `prepare` makes the accounts, before any process is there. */
  async start(prepare: (book: AccountBook) => Promise<void>): Promise<void> {
    buildPrograms();
    this.root = mkdtempSync(join(tmpdir(), 'tidepool-six-'));
    mkdirSync(join(this.root, 'empty'));
    [this.broker, this.clickhouse, this.redis, this.chain] = await Promise.all([
      startKafkaBroker(),
      startClickHouseEndpoint({ dir: join(this.root, 'clickhouse') }),
      startRedis(),
      startLocalChain({
        ...{ chain: 'eth', dataDir: join(this.root, 'chain'), historyBlocks: HISTORY, autoMine: false },
      }),
    ]);
    this.clock = new Redis(this.redis.url);
    // A spec may take Redis away.
    this.clock.on('error', () => undefined);
    this.rpc = new AnvilRpc(this.chain.rpcUrl);
    this.log = await openKafkaLog({ brokers: this.broker.brokers, clientId: 'outsider' });
    this.store = await openClickHouseStore({ url: this.clickhouse.url });
    await prepare(await AccountBook.open(this.log));
    // It copies the usage into the table as well.
    const ingest = this.run('ingest', 'ingest', { TIDEPOOL_START_ETH: '0', TIDEPOOL_ADMIN_PORT: '0' });
    await ingest.logged('ingest is running');
    for (const n of [1, 2, 3]) {
      for (const app of ['api', 'router'] as const) {
        const admin = await freePort();
        const name = `${app}${n}`;
        this.processes.push({ name, app, admin, program: this.run(app, name, adminAt(admin)), urls: {} });
      }
    }
    for (const each of this.processes) each.urls = await urlsOf(each);
  }

  /** The same process again after its end, with a folder of its own. */
  async startAgain(process: Process): Promise<void> {
    process.program = this.run(process.app, `${process.name}-again`, adminAt(await freePort()));
    process.urls = await urlsOf(process);
  }

  async stop(): Promise<void> {
    this.clock?.disconnect();
    await endPrograms();
    await this.rpc?.close();
    await this.store?.close();
    await this.log?.close();
    await this.chain?.stop();
    await this.clickhouse?.close();
    await this.broker?.stop();
    await this.redis?.stop();
    if (this.root !== '') removeFolderSync(this.root);
  }

  of(app: Process['app']): Process[] {
    return this.processes.filter((each) => each.app === app && each.program.alive);
  }

  /** A token that is traded. */
  get token(): string {
    return this.tokenOf('WETH');
  }

  tokenOf(wanted: string): string {
    return this.chain.tokens.find(({ symbol }) => symbol === wanted)!.address.toLowerCase();
  }

  async mine(): Promise<void> {
    await this.chain.mine();
  }

  takeRedisAway(): Promise<void> {
    return this.redis.kill9();
  }

  /** It comes back empty. */
  bringRedisBack(): Promise<void> {
    return this.redis.restart();
  }

  /** By the clock of Redis, in ms. */
  async storeTime(): Promise<number> {
    const [seconds, micros] = (await this.clock.time()) as unknown as [string, string];
    return Number(seconds) * 1_000 + Number(micros) / 1_000;
  }

  /** Of all routes, or of some. */
  async inTable(account: string, routes: readonly string[] = []): Promise<Counted> {
    const [row] = await this.store.query<Record<string, string>>(
      'SELECT toString(sum(requests)) AS requests, toString(sum(credits)) AS credits, toString(sum(refused)) AS refused ' +
        'FROM tidepool_accounts.usage WHERE account = {account:String} ' +
        'AND (empty({routes:Array(String)}) OR has({routes:Array(String)}, route))',
      { account, routes },
    );
    return { requests: Number(row!.requests), credits: Number(row!.credits), refused: Number(row!.refused) };
  }

  /** A new key of an account, that every process has heard of. */
  async makeKey(account: string): Promise<string> {
    const { key } = await (await AccountBook.open(this.log)).createKey(account, {});
    const headers = { 'x-api-key': key };
    for (const { urls, app, program } of this.processes) {
      // Free, or refused after the key.
      const url = app === 'api' ? `${urls.api}/account/usage` : `${urls.base}/evm/quote`;
      await program.until('the key', async () => {
        const { status } = await fetch(url, { headers });
        return status !== 401 && status !== 503;
      });
    }
    return key;
  }

  /** Waits until every api says that of the grants there is left what the table leaves. */
  async sameBalance(account: string, key: string, granted: number): Promise<void> {
    for (const { urls, program } of this.of('api')) {
      await program.until('the balance of the table', async () => {
        const answer = await fetch(`${urls.api}/account/usage`, { headers: { 'x-api-key': key } });
        if (answer.status !== 200) return false;
        const { data } = (await answer.json()) as { data: { credits: { remaining: number; grantedSpent: number } } };
        const { credits } = await this.inTable(account);
        return data.credits.remaining === granted - credits && data.credits.grantedSpent === credits;
      });
    }
  }

  /** Waits until trades of the token are served by every api. */
  async indexed(key: string): Promise<void> {
    for (const { urls, program } of this.of('api')) {
      await program.until('trades', async () => {
        const answer = await fetch(`${urls.api}/tokens/eth/${this.token}/trades`, { headers: { 'x-api-key': key } });
        return answer.ok && ((await answer.json()) as { data: unknown[] }).data.length > 0;
      });
    }
  }

  private run(app: 'ingest' | Process['app'], name: string, more: Record<string, string>): Program {
    const ports = ['API', 'WS', 'RPC', 'SOL', 'RELAY', 'BASE'].map((port) => [`TIDEPOOL_${port}_PORT`, '0']);
    const pins = [...this.chain.codePins].map(([address, hash]) => `0x${address}=0x${hash}`).join(',');
    const env: Record<string, string> = {
      ...Object.fromEntries(ports),
      ...{ TIDEPOOL_DATA_DIR: join(this.root, name), TIDEPOOL_KAFKA_BROKERS: this.broker.brokers.join(',') },
      ...{ CLICKHOUSE_URL: this.clickhouse.url, TIDEPOOL_CHAINS: 'eth', TIDEPOOL_CODE_PINS_ETH: pins },
      TIDEPOOL_RPC_ETH: `${this.chain.rpcUrl},${this.chain.wsUrl}`,
      // Looks at tokens come while answers are compared, and reach each process in a moment of its own.
      ...(app === 'ingest'
        ? { TIDEPOOL_SAFETY: 'off' }
        : { TIDEPOOL_REDIS_URL: this.redis.url, TIDEPOOL_LOG_LEVEL: 'trace' }),
    };
    const main = join(PROJECT, 'dist/apps', app, 'src/main.js');
    const args = [main];
    return new Program({ args, env: { ...env, ...more }, cwd: join(this.root, 'empty') });
  }
}

const adminAt = (port: number) => ({ TIDEPOOL_ADMIN_PORT: String(port) });

async function urlsOf({ app, program }: Process): Promise<Record<string, string>> {
  const line = await program.logged(app === 'api' ? 'market-data API is listening' : 'router is listening');
  const { url, ws, rpc, sol, relay } = line as unknown as Record<string, string>;
  return app === 'api' ? { api: url!, ws: ws!, rpc: rpc! } : { base: url!, sol: sol!, relay: relay! };
}
