import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import WebSocket from 'ws';
import { UsageTableStage } from '#apps/ingest/src/usage/usage-table-stage.js';
import { describeWithRedis, type RedisServer, startRedis } from '#apps/router/src/held/test/redis-server.js';
import { AccountBook } from '#libs/accounts/account-book.js';
import { openKafkaLog } from '#libs/event-log/kafka/kafka-log.js';
import { keyedPages } from '#libs/event-log/keyed-pages.js';
import type { EventLog } from '#libs/event-log/log.js';
import { accountsTopic, usageTopic } from '#libs/protocol/topics.js';
import { openClickHouseStore } from '#libs/store/clickhouse-store.js';
import type { AnalyticsStore } from '#libs/store/store.js';
import { type ClickHouseEndpoint, startClickHouseEndpoint } from '#libs/store/test/clickhouse-endpoint.js';
import { UsageTable } from '#libs/store/usage/usage-table.js';
import { freePort } from '#libs/testing/guarded-server.js';
import { describeWithKafka, type KafkaBroker, startKafkaBroker } from '#libs/testing/kafka-broker.js';
import { SeededRandom, testSeed } from '#libs/testing/seeded-random.js';
import { until } from '#libs/testing/until.js';
import { buildPrograms, endPrograms, PROJECT, Program } from './program.js';
import { admittedWithin, saturatedStretch, type TimedAnswer, worstExcess } from './rate-windows.js';

const LIMIT_MS = 500_000;
const RATE = 20;
const GRANT = 1_000_000;
const WRONG_KEYS = ['tp_unknown-unknown-unknown-unknown', 'malformed key §', 'x'.repeat(5_000)];

/** One of the six: where its doors are. */
interface Process {
  readonly name: string;
  readonly app: 'api' | 'router';
  readonly admin: number;
  program: Program;
  urls: Record<string, string>;
}

describeWithRedis('accounts over six processes', () => {
  describeWithKafka('of api and router, one Redis, one Kafka and one ClickHouse (long)', () => {
    const root = mkdtempSync(join(tmpdir(), 'tidepool-six-'));
    const seed = testSeed();
    const random = new SeededRandom(seed);
    let broker: KafkaBroker;
    let clickhouse: ClickHouseEndpoint;
    let redis: RedisServer;
    let clock: Redis;
    let log: EventLog;
    let store: AnalyticsStore;
    let key = '';
    const tableEnd = new AbortController();
    let table: Promise<void>;
    const processes: Process[] = [];
    const heard: string[] = [];

    const start = (name: string, app: 'api' | 'router', admin: number): Program => {
      const ports = ['API', 'WS', 'RPC', 'SOL', 'RELAY', 'BASE'].map((port) => [`TIDEPOOL_${port}_PORT`, '0']);
      const env: Record<string, string> = {
        ...Object.fromEntries(ports),
        ...{ TIDEPOOL_DATA_DIR: join(root, name), TIDEPOOL_KAFKA_BROKERS: broker.brokers.join(',') },
        ...{ CLICKHOUSE_URL: clickhouse.url, TIDEPOOL_REDIS_URL: redis.url, TIDEPOOL_CHAINS: 'eth' },
        ...{ TIDEPOOL_LOG_LEVEL: 'trace', TIDEPOOL_ADMIN_PORT: String(admin) },
      };
      const main = join(PROJECT, 'dist/apps', app, 'src/main.js');
      return new Program({ args: ['--enable-source-maps', main], env, cwd: join(root, 'empty') });
    };
    const startedUrls = async ({ app, program }: Process): Promise<Record<string, string>> => {
      const line = await program.logged(app === 'api' ? 'market-data API is listening' : 'router is listening');
      return line as unknown as Record<string, string>;
    };

    beforeAll(async () => {
      buildPrograms();
      mkdirSync(join(root, 'empty'));
      [broker, clickhouse, redis] = await Promise.all([
        startKafkaBroker(),
        startClickHouseEndpoint({ dir: join(root, 'clickhouse') }),
        startRedis(),
      ]);
      clock = new Redis(redis.url);
      log = await openKafkaLog({ brokers: broker.brokers, clientId: 'outsider' });
      store = await openClickHouseStore({ url: clickhouse.url });
      const book = await AccountBook.open(log);
      // Nothing is included, so that every credit comes out of the grants.
      await book.setPlan('Counted', RATE, 0);
      await book.setPlan('Fast', 0, 0);
      for (const [id, plan] of [
        ['hammered', 'Counted'],
        ['mixed', 'Fast'],
      ] as const) {
        await book.createAccount(id, id, plan, null);
        await book.grant(id, GRANT, 'of the spec');
      }
      const usage = new UsageTableStage({
        log,
        table: new UsageTable(store),
        logger: { warn: () => undefined },
        pollMs: 50,
      });
      table = usage.run(tableEnd.signal);
      for (const n of [1, 2, 3]) {
        for (const app of ['api', 'router'] as const) {
          const name = `${app}${n}`;
          const admin = await freePort();
          processes.push({ name, app, admin, program: start(name, app, admin), urls: {} });
        }
      }
      for (const each of processes) each.urls = await startedUrls(each);
    }, LIMIT_MS);

    afterAll(async () => {
      tableEnd.abort();
      await table?.catch(() => undefined);
      clock?.disconnect();
      await endPrograms();
      await store?.close();
      await log?.close();
      await clickhouse?.close();
      await broker?.stop();
      await redis?.stop();
      rmSync(root, { recursive: true, force: true, maxRetries: 20 });
    }, LIMIT_MS);

    /** A request at a random door: what it costs when it is paid. */
    const doors: Record<Process['app'], readonly (readonly [string, string, number, string?])[]> = {
      api: [
        ['url', '/chains', 1],
        ['url', '/v1/chains', 1],
        ['url', '/screener?limit=5', 2],
        ['url', '/tokens/doge/x', 1],
        ['rpc', '/eth', 1, '{"jsonrpc":"2.0","id":1,"method":"eth_nothing"}'],
      ],
      router: [
        ['url', '/evm/venues', 1],
        ['url', '/evm/chains', 1],
        ['url', '/evm/quote?chain=eth&amount=0', 1],
        ['relay', '/bundle', 5, '{}'],
      ],
    };
    const send = async (process: Process, given: string): Promise<{ status: number; paid: number; path: string }> => {
      const [door, path, price, body] = random.pick(doors[process.app]);
      const place = random.int(0, 2);
      const headers: Record<string, string> =
        place === 0 ? { 'x-api-key': given } : place === 1 ? { authorization: `Bearer ${given}` } : {};
      const query = place === 2 ? `${path.includes('?') ? '&' : '?'}apiKey=${encodeURIComponent(given)}` : '';
      const init = body === undefined ? { headers } : { method: 'POST', body, headers };
      const answer = await fetch(process.urls[door]! + path + query, init);
      const text = await answer.text();
      heard.push(`${answer.status} ${[...answer.headers].join()} ${text}`);
      const paid = answer.ok || answer.status === 409 || answer.status === 422 || text.includes('no_route');
      return { status: answer.status, paid: paid ? price : 0, path };
    };
    const storeTime = async (): Promise<number> => {
      const [seconds, micros] = (await clock.time()) as unknown as [string, string];
      return Number(seconds) * 1_000 + Number(micros) / 1_000;
    };
    const inTable = async (account: string): Promise<{ requests: number; credits: number; refused: number }> => {
      const [row] = await store.query<Record<string, string>>(
        'SELECT toString(sum(requests)) AS requests, toString(sum(credits)) AS credits, toString(sum(refused)) AS refused ' +
          'FROM tidepool_accounts.usage WHERE account = {account:String}',
        { account },
      );
      return { requests: Number(row!.requests), credits: Number(row!.credits), refused: Number(row!.refused) };
    };
    const makeKey = async (account: string): Promise<string> => {
      const made = await (await AccountBook.open(log)).createKey(account, {});
      // Every process has heard of it before it is used; asking costs nothing.
      for (const { urls, app, program } of processes) {
        const path = app === 'api' ? '/account/usage' : '/evm/venues';
        await program.until('the key', async () => {
          const { status } = await fetch(urls.url + path, { headers: { 'x-api-key': made.key } });
          return status !== 401 && status !== 503;
        });
      }
      return made.key;
    };

    test(
      `never lets in more than the rate in any window, and the rate itself while it is asked for (seed ${seed})`,
      async () => {
        key = await makeKey('hammered');
        const answers: TimedAnswer[] = [];
        let stretch: ReturnType<typeof saturatedStretch> = null;
        // It continues until the account was asked for more than its rate for ten seconds on end, by the clock of Redis.
        const enough = () => stretch !== null || answers.length > 60_000;
        const worker = async (at: number) => {
          for (let n = at; !enough(); n++) {
            const before = await storeTime();
            const { status } = await send(processes[n % processes.length]!, key);
            const after = await storeTime();
            expect(status).not.toBe(401);
            answers.push({ before, after, admitted: status !== 429 });
            if (answers.length % 200 === 0) stretch = saturatedStretch(answers, 10_000, 1_500);
          }
        };
        await Promise.all(Array.from({ length: 12 }, (_, at) => worker(at)));
        expect(answers.filter(({ admitted }) => !admitted).length).toBeGreaterThan(0);
        expect(worstExcess(answers, RATE)).toBeLessThanOrEqual(0);
        expect(stretch).not.toBeNull();
        const { least, most, shortMs, longMs } = admittedWithin(answers, stretch!);
        expect(most).toBeGreaterThanOrEqual((0.98 * RATE * shortMs) / 1_000 - 1);
        expect(least).toBeLessThanOrEqual((1.02 * RATE * longMs) / 1_000 + 1);
        // What was refused counts as refused, and as nothing else.
        const refused = answers.filter(({ admitted }) => !admitted).length;
        await until('the refusals', async () => (await inTable('hammered')).refused >= refused);
      },
      LIMIT_MS,
    );

    test(
      'the balance after a mix of requests and streams is the grants less the table, to the unit, in every process',
      async () => {
        key = await makeKey('mixed');
        let spent = 0;
        const before = (await inTable('mixed')).credits;
        const streams: WebSocket[] = [];
        for (let n = 0; n < 40; n++) {
          const each = random.pick(processes);
          if (each.app === 'api' && random.chance(0.3)) {
            const door = random.pick([`${each.urls.ws}/`, `${each.urls.url}/ws`]).replace(/^http/, 'ws');
            const socket = new WebSocket(`${door}?apiKey=${key}`);
            await once(socket, 'open');
            streams.push(socket);
            // The request that opens it and its first minute.
            spent += 2;
          }
          const batch = await Promise.all(Array.from({ length: 8 }, () => send(random.pick(processes), key)));
          for (const { paid } of batch) spent += paid;
        }
        for (const socket of streams) {
          socket.close();
          await once(socket, 'close');
        }
        expect(streams.length).toBeGreaterThan(0);
        let credits = 0;
        await until('the table', async () => {
          credits = (await inTable('mixed')).credits - before;
          return credits >= spent;
        });
        // Minutes that began on a slow machine are paid as well.
        expect(credits - spent).toBeLessThanOrEqual(streams.length * 10);
        await sameBalance('mixed');
      },
      LIMIT_MS,
    );

    /** Every api says what the table says. */
    const sameBalance = async (account: string): Promise<void> => {
      for (const { app, urls, program } of processes) {
        if (app !== 'api' || !program.alive) continue;
        await program.until('the balance of the table', async () => {
          const answer = await fetch(`${urls.url}/account/usage`, { headers: { 'x-api-key': key } });
          if (answer.status !== 200) return false;
          const { data } = (await answer.json()) as { data: { credits: { remaining: number; grantedSpent: number } } };
          const { credits } = await inTable(account);
          return data.credits.remaining === GRANT - credits && data.credits.grantedSpent === credits;
        });
      }
    };

    test(
      'a revoked key closes the open sockets of every process',
      async () => {
        const account = 'mixed';
        const spare = await makeKey(account);
        const codes: Promise<number>[] = [];
        for (const { app, urls } of processes) {
          if (app !== 'api') continue;
          for (const door of [`${urls.ws}/`, `${urls.url}/ws`]) {
            const socket = new WebSocket(`${door.replace(/^http/, 'ws')}?apiKey=${spare}`);
            await once(socket, 'open');
            codes.push(once(socket, 'close').then(([code]) => code as number));
          }
        }
        await (await AccountBook.open(log)).revokeKey(spare);
        expect(await Promise.all(codes)).toEqual(Array.from({ length: 6 }, () => 4401));
        // Those without a socket of the key may hear of it a moment later.
        for (const each of processes) {
          await each.program.until('the refusal', async () => (await send(each, spare)).status === 401);
        }
      },
      LIMIT_MS,
    );

    test(
      'keys are in no line, answer, metric, topic or table, however a request failed',
      async () => {
        for (const each of processes) {
          for (const wrong of WRONG_KEYS) {
            const headers = { 'x-api-key': encodeURIComponent(wrong).slice(0, 5_000) };
            for (const url of [each.urls.url, each.urls.rpc, each.urls.relay, each.urls.sol]) {
              if (url === undefined || url === null) continue;
              for (const path of ['/chains', '/nothing', '/evm/quote', '/eth', '/bundle']) {
                const answer = await fetch(`${url}${path}?apiKey=${encodeURIComponent(wrong)}`, { headers });
                heard.push(`${answer.status} ${[...answer.headers].join()} ${await answer.text()}`);
              }
            }
          }
        }
        const everything: string[] = [...heard];
        for (const { program, admin } of processes) {
          everything.push(program.stdout, ...program.lines.map((line) => JSON.stringify(line)));
          for (const path of ['/metrics', '/status', '/ready'])
            everything.push(await (await fetch(`http://127.0.0.1:${admin}${path}`)).text());
        }
        for (const topic of [accountsTopic, usageTopic]) {
          for await (const page of keyedPages(log, topic, { records: 500 })) {
            for (const { key: at, value } of page) everything.push(at + Buffer.from(value ?? []).toString('utf8'));
          }
        }
        const rows = await store.query('SELECT * FROM tidepool_accounts.usage_counts');
        everything.push(...rows.map((row) => JSON.stringify(row)));
        expect(everything.length).toBeGreaterThan(1_000);
        const secrets = [
          key,
          encodeURIComponent(key),
          ...WRONG_KEYS.slice(0, 1),
          'x'.repeat(1_000),
          encodeURIComponent('key §'),
        ];
        for (const text of everything) {
          for (const secret of secrets) {
            if (text.includes(secret)) throw new Error(`${secret.slice(0, 12)}… stands in: ${text.slice(0, 300)}`);
          }
        }
      },
      LIMIT_MS,
    );

    test(
      'a kill -9 loses no more than what was not stated yet, in the account’s favour',
      async () => {
        const victim = processes[0]!;
        const one = async () => {
          const answer = await fetch(`${victim.urls.url}/chains`, { headers: { 'x-api-key': key } });
          expect(answer.status).toBe(200);
          await answer.text();
        };
        for (let n = 0; n < 20; n++) await one();
        // Nothing of it waits: the sums stand still and are those of every process.
        await sameBalance('mixed');
        const settled = (await inTable('mixed')).requests;
        for (let n = 0; n < 10; n++) await one();
        expect(await victim.program.kill9()).toBe('SIGKILL');
        for (const each of processes.slice(1)) await send(each, key);
        await sameBalance('mixed');
        const { requests } = await inTable('mixed');
        expect(requests).toBeGreaterThanOrEqual(settled);
        expect(requests).toBeLessThanOrEqual(settled + 10 + processes.length + 60);
        victim.program = start('api1-again', 'api', await freePort());
        victim.urls = await startedUrls(victim);
        await victim.program.until('its accounts', async () => {
          const { status } = await fetch(`${victim.urls.url}/account/usage`, { headers: { 'x-api-key': key } });
          return status === 200;
        });
        await sameBalance('mixed');
      },
      LIMIT_MS,
    );
  });
});
