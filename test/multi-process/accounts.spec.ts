import { describeWithRedis } from '#apps/router/src/held/test/redis-server.js';
import { describeWithKafka } from '#libs/devkit/testing/kafka-broker.js';
import { SeededRandom, testSeed } from '#libs/devkit/testing/seeded-random.js';
import { until } from '#libs/devkit/testing/until.js';
import { keyedPages } from '#libs/pipeline/event-log/keyed-pages.js';
import { accountsTopic, usageTopic } from '#libs/protocol/topics.js';
import { AccountBook } from '#libs/serve/accounts/account-book.js';
import { doors, knock } from '../accounts/doors.js';
import { type OpenStream, openLive, streamKinds } from './live-streams.js';
import { admittedWithin, saturatedStretch, type TimedAnswer, worstExcess } from './rate-windows.js';
import { type Process, SixProcesses } from './six-processes.js';

const LIMIT_MS = 500_000;
const RATE = 20;
const GRANT = 1_000_000;
const MINUTE_MS = 60_000;
const STREAM_ROUTES = ['webSocket', 'openStream'];
const WRONG_KEYS = ['tp_unknown-unknown-unknown-unknown', 'malformed key §', 'x'.repeat(5_000)];

/** Minutes that began after the first one, of all of them until now. */
const begunMinutes = (streams: readonly OpenStream[]): number =>
  streams.reduce((sum, { before }) => sum + Math.floor((Date.now() - before) / MINUTE_MS), 0);

describeWithRedis('accounts over six processes', () => {
  describeWithKafka('of api and router, one Redis, one Kafka and one ClickHouse (long)', () => {
    const seed = testSeed();
    const random = new SeededRandom(seed);
    const world = new SixProcesses();
    const { processes } = world;
    const heard: string[] = [];
    let key = '';

    beforeAll(
      () =>
        world.start(async (book) => {
          // Nothing is included, so that every credit comes out of the grants.
          await book.setPlan('Counted', RATE, 0);
          await book.setPlan('Fast', 0, 0);
          for (const [id, plan, credits] of [
            ['hammered', 'Counted', GRANT],
            ['mixed', 'Fast', GRANT],
            ['looking', 'Fast', GRANT],
            ['streams', 'Fast', GRANT],
            // What opening a stream of each kind costs.
            ['poor', 'Fast', streamKinds.length * 2],
          ] as const) {
            await book.createAccount(id, id, plan, null);
            await book.grant(id, credits, 'of the spec');
          }
        }),
      LIMIT_MS,
    );
    afterAll(() => world.stop(), LIMIT_MS);

    /** Requests whose price is known: what they cost when they are paid. */
    const priced: Record<Process['app'], readonly (readonly [string, string, number, string?])[]> = {
      api: [
        ['api', '/chains', 1],
        ['api', '/v1/chains', 1],
        ['api', '/screener?limit=5', 2],
        ['api', '/trending?chain=eth', 2],
        ['api', '/udf/time', 1],
        ['api', '/tokens/doge/x', 1],
        ['api', '/tokens/eth/TOKEN', 1],
        ['api', '/tokens/eth/TOKEN/trades?limit=3', 1],
        ['rpc', '/eth', 1, '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}'],
        ['rpc', '/', 1, '{"jsonrpc":"2.0","id":1,"method":"getAssetProof","params":{"id":"x"}}'],
        ['rpc', '/eth', 2, '[{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","id":2,"method":"b"}]'],
      ],
      router: [
        ['base', '/evm/venues', 1],
        ['base', '/evm/chains', 1],
        ['base', '/evm/quote?chain=eth&amount=0', 1],
        ['base', '/evm/quote?chain=eth&inputMint=native&outputMint=TOKEN&amount=1000000', 1],
        ['base', '/venues', 1],
        ['base', '/launch', 2],
        ['base', '/launch/eth', 1],
        ['base', '/launch/eth', 5, '{}'],
        ['sol', '/api/sol/consolidate', 5, '{}'],
        ['relay', '/bundle', 5, '{}'],
      ],
    };
    const send = async (process: Process, given: string): Promise<{ status: number; paid: number }> => {
      const [host, path, price, body] = random.pick(priced[process.app]);
      const place = random.int(0, 2);
      const headers: Record<string, string> =
        place === 0 ? { 'x-api-key': given } : place === 1 ? { authorization: `Bearer ${given}` } : {};
      const query = place === 2 ? `${path.includes('?') ? '&' : '?'}apiKey=${encodeURIComponent(given)}` : '';
      const init = body === undefined ? { headers } : { method: 'POST', body, headers };
      const answer = await fetch(process.urls[host]! + path.replace('TOKEN', world.token) + query, init);
      const text = await answer.text();
      heard.push(`${answer.status} ${[...answer.headers].join()} ${text}`);
      const paid = answer.ok || answer.status === 409 || answer.status === 422 || text.includes('no_route');
      return { status: answer.status, paid: paid ? price : 0 };
    };

    test(
      `never lets in more than the rate in any window, and the rate itself while it is asked for (seed ${seed})`,
      async () => {
        key = await world.makeKey('hammered');
        const answers: TimedAnswer[] = [];
        let stretch: ReturnType<typeof saturatedStretch> = null;
        const seen = new Set<string>();
        // It continues until the account was asked for more than its rate for ten seconds on end, by the clock of Redis.
        const enough = () => (stretch !== null && seen.size === doors.length) || answers.length > 60_000;
        const worker = async (at: number) => {
          for (let n = at; !enough(); n++) {
            const { urls } = processes[n % processes.length]!;
            const door = random.pick(doors.filter(({ host }) => urls[host] !== undefined));
            const before = await world.storeTime();
            const { status, headers, text } = await knock(urls, door, { headers: ['x-api-key', key] });
            const after = await world.storeTime();
            expect([door.name, status]).not.toEqual([door.name, 401]);
            heard.push(`${status} ${JSON.stringify(headers)} ${text}`);
            if (status === 429) seen.add(door.name);
            answers.push({ before, after, admitted: status !== 429, requests: door.requests });
            if (stretch === null && answers.length % 200 === 0) stretch = saturatedStretch(answers, 10_000, 1_500);
          }
        };
        await Promise.all(Array.from({ length: 12 }, (_, at) => worker(at)));
        expect(worstExcess(answers, RATE)).toBeLessThanOrEqual(0);
        expect(stretch).not.toBeNull();
        const { least, most, shortMs, longMs } = admittedWithin(answers, stretch!);
        expect(most).toBeGreaterThanOrEqual((0.98 * RATE * shortMs) / 1_000 - 1);
        expect(least).toBeLessThanOrEqual((1.02 * RATE * longMs) / 1_000 + 1);
        // Each kind of entry point was refused by what the others took.
        expect(doors.filter(({ name }) => !seen.has(name))).toEqual([]);
        // What was refused counts as refused, and as nothing else.
        const refused = answers.filter(({ admitted }) => !admitted).length;
        await until('the refusals', async () => (await world.inTable('hammered')).refused >= refused);
      },
      LIMIT_MS,
    );

    test(
      'the balance after a mix of requests and streams is the grants less the table, to the unit, in every process',
      async () => {
        await world.indexed(await world.makeKey('looking'));
        key = await world.makeKey('mixed');
        let spent = 0;
        const streams: OpenStream[] = [];
        for (let n = 0; n < 40; n++) {
          const each = random.pick(n < streamKinds.length ? world.of('api') : processes);
          if (each.app === 'api' && (n < streamKinds.length || random.chance(0.3))) {
            streams.push(await openLive(streamKinds[streams.length % streamKinds.length]!, each, key, world.token));
            // The request that opens it and its first minute.
            spent += 2;
          }
          const batch = await Promise.all(Array.from({ length: 8 }, () => send(random.pick(processes), key)));
          for (const { paid } of batch) spent += paid;
        }
        for (const stream of streams) {
          stream.close();
          await stream.ended;
        }
        expect(streams.length).toBeGreaterThanOrEqual(streamKinds.length);
        await until('the table', async () => (await world.inTable('mixed')).credits >= spent);
        await world.sameBalance('mixed', key, GRANT);
        // Minutes that began on a slow machine are paid as well.
        const { credits } = await world.inTable('mixed');
        expect(credits - spent).toBeLessThanOrEqual(begunMinutes(streams));
      },
      LIMIT_MS,
    );

    test(
      'each minute of a stream is paid by whichever process holds it, and streams end when the credits do',
      async () => {
        const [ofStreams, ofPoor] = [await world.makeKey('streams'), await world.makeKey('poor')];
        const apis = world.of('api');
        const open = (each: Process, given: string) =>
          Promise.all(streamKinds.map((kind) => openLive(kind, each, given, world.token)));
        const streams = (await Promise.all(apis.map((each) => open(each, ofStreams)))).flat();
        const poor = await open(apis[0]!, ofPoor);
        const { length } = streams;
        await until('the second minute of each', async () => (await world.inTable('streams')).credits >= 3 * length);
        for (const stream of streams) stream.close();
        await Promise.all(streams.map(({ ended }) => ended));
        await world.sameBalance('streams', ofStreams, GRANT);
        const { requests, credits } = await world.inTable('streams', STREAM_ROUTES);
        expect(requests).toBe(length);
        expect(credits).toBeLessThanOrEqual(2 * length + begunMinutes(streams));
        // A second minute is more than the other account has.
        const ends = await Promise.all(poor.map(async ({ kind, ended }) => [kind, await ended]));
        expect(ends).toEqual([
          ['socket', '4402'],
          ['socket of the api', '4402'],
          ['events', expect.stringContaining('"code":"unauthorized"')],
          ['socket.io', '4402'],
        ]);
        expect((await world.inTable('poor')).credits).toBe(2 * poor.length);
        const ask = (each: Process) => fetch(`${each.urls.api}/chains`, { headers: { 'x-api-key': ofPoor } });
        for (const each of apis) expect((await ask(each)).status).toBe(401);
        await (await AccountBook.open(world.log)).grant('poor', GRANT, 'bought');
        for (const each of apis) await each.program.until('the grant', async () => (await ask(each)).status === 200);
      },
      LIMIT_MS,
    );

    test(
      'a revoked key closes the open streams of every kind and process',
      async () => {
        const spare = await world.makeKey('mixed');
        const streams: OpenStream[] = [];
        for (const each of world.of('api')) {
          for (const kind of streamKinds) streams.push(await openLive(kind, each, spare, world.token));
        }
        await (await AccountBook.open(world.log)).revokeKey(spare);
        const code = (kind: string) => (kind === 'events' ? expect.stringContaining('"code":"unauthorized"') : '4401');
        for (const { kind, ended } of streams) expect([kind, await ended]).toEqual([kind, code(kind)]);
        expect(streams).toHaveLength(3 * streamKinds.length);
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
        for (const { urls } of processes) {
          for (const wrong of WRONG_KEYS) {
            const given = {
              headers: ['x-api-key', encodeURIComponent(wrong)],
              query: `apiKey=${encodeURIComponent(wrong)}`,
            };
            for (const door of doors.filter(({ host }) => urls[host] !== undefined)) {
              for (const path of [door.path, '/no/such/path']) {
                const { status, headers, text } = await knock(urls, { ...door, path }, given);
                heard.push(`${status} ${JSON.stringify(headers)} ${text}`);
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
          for await (const page of keyedPages(world.log, topic, { records: 500 })) {
            for (const { key: at, value } of page) everything.push(at + Buffer.from(value ?? []).toString('utf8'));
          }
        }
        const rows = await world.store.query('SELECT * FROM tidepool_accounts.usage_counts');
        everything.push(...rows.map((row) => JSON.stringify(row)));
        expect(everything.length).toBeGreaterThan(1_000);
        const secrets = [
          ...[key, encodeURIComponent(key), ...WRONG_KEYS.slice(0, 1)],
          ...['x'.repeat(1_000), encodeURIComponent('key §')],
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
          const answer = await fetch(`${victim.urls.api}/chains`, { headers: { 'x-api-key': key } });
          expect(answer.status).toBe(200);
          await answer.text();
        };
        for (let n = 0; n < 20; n++) await one();
        // Nothing of it waits: the sums are final and are those of every process.
        await world.sameBalance('mixed', key, GRANT);
        const settled = (await world.inTable('mixed')).credits;
        for (let n = 0; n < 10; n++) await one();
        expect(await victim.program.kill9()).toBe('SIGKILL');
        let spent = 0;
        for (const each of processes.slice(1)) spent += (await send(each, key)).paid;
        await until('the others', async () => (await world.inTable('mixed')).credits >= settled + spent);
        await world.sameBalance('mixed', key, GRANT);
        const { credits } = await world.inTable('mixed');
        expect(credits).toBeLessThanOrEqual(settled + spent + 10);
        await world.startAgain(victim);
        await victim.program.until('its accounts', async () => {
          const { status } = await fetch(`${victim.urls.api}/account/usage`, { headers: { 'x-api-key': key } });
          return status === 200;
        });
        await world.sameBalance('mixed', key, GRANT);
      },
      LIMIT_MS,
    );
  });
});
