import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { describeWithRedis } from '#apps/router/src/held/test/redis-server.js';
import { describeWithKafka } from '#libs/devkit/testing/kafka-broker.js';
import { schemaProblems } from '#libs/devkit/testing/schema-check.js';
import { until } from '#libs/devkit/testing/until.js';
import { untilMet } from '#libs/devkit/testing/until-met.js';
import type { EvmQuote } from '#libs/serve/contract/rest/evm/quote-body.js';
import { PROJECT } from './program.js';
import { Rotation } from './rotation.js';
import { type Process, SixProcesses } from './six-processes.js';

const LIMIT_MS = 500_000;
const GRANT = 1_000_000;
/** Of the account that is asked for while Redis is away. */
const RATE = 100;
const MOST_CREATES = 10;
const MINUTE_MS = 60_000;
const WALLET = `0x${'a1'.repeat(20)}`;

/**
 * What the contract says, whichever of three api and three router processes is asked: their documents, quotes that another one
 * holds, what builds cost and whose they are, the limit of creates, a rotation of what cursors are signed with, and all of
 * it while Redis is away.
 */
describeWithRedis('the contract over six processes', () => {
  describeWithKafka('of api and router, one Redis, one Kafka and one ClickHouse (long)', () => {
    const world = new SixProcesses();
    let key = '';
    let other = '';
    let rotation: Rotation;
    let apis: Process[] = [];
    let routers: Process[] = [];

    beforeAll(async () => {
      await world.start(async (book) => {
        await book.setPlan('Fast', 0, 0);
        await book.setPlan('Steady', RATE, 0);
        for (const [id, plan] of [
          ['builds', 'Fast'],
          ['other', 'Fast'],
          ['creates', 'Fast'],
          ['rotation', 'Fast'],
          ['steady', 'Steady'],
        ] as const) {
          await book.createAccount(id, id, plan, null);
          await book.grant(id, GRANT, 'of the spec');
        }
      });
      key = await world.makeKey('builds');
      other = await world.makeKey('other');
      await world.indexed(other);
      [apis, routers] = [world.of('api'), world.of('router')];
      await world.rpc.call('anvil_setBalance', [WALLET, '0x8ac7230489e80000']);
    }, LIMIT_MS);
    afterAll(() => world.stop(), LIMIT_MS);

    const ask = async (url: string, given: string, body?: object) => {
      const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
      const response = await fetch(url, { headers: { 'x-api-key': given }, ...init });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
      // biome-ignore lint/suspicious/noExplicitAny: bodies are looked at field by field
      return { status: response.status, body: (isJson ? JSON.parse(text) : text) as any };
    };
    const quoteUrl = ({ urls }: Process) =>
      `${urls.base}/evm/quote?chain=eth&inputMint=native&outputMint=${world.tokenOf('USDC')}&amount=1000000000000000000`;
    /** Of a fresh head. */
    const quoted = async (each: Process, given: string): Promise<EvmQuote> => {
      await world.mine();
      return each.program.until('a quote', async () => {
        const { status, body } = await ask(quoteUrl(each), given);
        return status === 200 ? (body as EvmQuote) : null;
      });
    };
    const build = ({ urls }: Process, given: string, quoteResponse: EvmQuote) =>
      ask(`${urls.base}/evm/swap`, given, { userPublicKey: WALLET, quoteResponse });

    test(
      'each operation of each document is answered as it says, and alike by every process',
      async () => {
        const compared: string[] = [];
        for (const { host, method, path, url, responses, document, body } of operations(world)) {
          const answers = [];
          for (const { urls, name } of host === 'api' || host === 'rpc' ? apis : routers) {
            const answer = await ask(urls[host]! + url, other, body);
            const said = { name, method, path, status: answer.status, text: JSON.stringify(answer.body).slice(0, 400) };
            const response = responses[answer.status];
            expect({ ...said, documented: response !== undefined }).toEqual({ ...said, documented: true });
            expect({ ...said, known: answer.status < 500 || answer.status === 503 }).toEqual({ ...said, known: true });
            const schema = response.content?.['application/json']?.schema;
            if (schema !== undefined && typeof answer.body !== 'string') {
              expect({ ...said, problems: schemaProblems(document, schema, answer.body) }).toEqual({
                ...said,
                problems: [],
              });
            }
            answers.push({ path, status: answer.status, body: steady(answer.body) });
          }
          if (OWN.test(path)) continue;
          for (const answer of answers) expect(answer).toEqual(answers[0]);
          if (answers[0]!.status === 200) compared.push(path);
        }
        expect(compared.length).toBeGreaterThan(30);
      },
      LIMIT_MS,
    );

    test(
      'a rotation of the secret takes nothing from clients that page, follow or hold a quote',
      async () => {
        const given = await world.makeKey('rotation');
        rotation = new Rotation(world, given);
        await rotation.before();
        for (let built = false, asked = 0; !built; asked++) {
          expect(asked).toBeLessThan(100);
          const quote = await quoted(routers[0]!, given);
          if (asked === 0) await rotation.rotate();
          // A quote expires, and its head grows old, on a machine that is slow: then there is another one.
          const { status, body } = await build(routers[1]!, given, quote);
          expect([status, body]).toEqual([[200, 409, 503].includes(status) ? status : 200, body]);
          built = status === 200;
        }
      },
      LIMIT_MS,
    );

    test(
      'a build of a quote that another router holds costs what a build costs, and belongs to its account everywhere',
      async () => {
        let [asked, paid, builds] = [0, 0, 0];
        for (const holder of routers) {
          for (const builder of routers) {
            // A quote expires, and its head grows old, on a machine that is slow: then there is another one.
            for (let built = false; !built; ) {
              const quote = await quoted(holder, key);
              const { status, body } = await build(builder, key, quote);
              expect(++asked).toBeLessThan(100);
              expect([status, body]).toEqual([[200, 409, 503].includes(status) ? status : 200, body]);
              if (status !== 503) paid++;
              built = status === 200;
              if (built) expect(body.quoteResponse.quoteId).toBe(quote.quoteId);
            }
            builds++;
          }
        }
        await until('the table', async () => (await world.inTable('builds', ['buildEvmSwap'])).requests >= asked);
        const counted = await world.inTable('builds', ['buildEvmSwap']);
        expect(counted).toEqual({ requests: asked, credits: 5 * paid, refused: 0 });
        await world.sameBalance('builds', key, GRANT);
        const receipts = async ({ urls }: Process, given: string): Promise<unknown[]> =>
          (await ask(`${urls.base}/evm/receipts?chain=eth&limit=200`, given)).body.data;
        for (const each of routers) {
          await each.program.until('the receipts', async () => (await receipts(each, key)).length === builds);
          expect(await receipts(each, other)).toEqual([]);
        }
      },
      LIMIT_MS,
    );

    test(
      'an account creates 10 tokens in a minute, whichever router it asks',
      async () => {
        const given = await world.makeKey('creates');
        const wanted = {
          ...{ platform: 'tidepool', creator: WALLET, name: 'Spring Tide', symbol: 'TIDE' },
          ...{ image: 'https://pictures.example.com/tide.png', rpcUrl: 'https://node.example.com/' },
        };
        const begun: { before: number; after: number }[] = [];
        const refused = new Set<string>();
        const create = async ({ urls, name }: Process): Promise<void> => {
          const before = await world.storeTime();
          const { status, body } = await ask(`${urls.base}/launch/eth`, given, wanted);
          const after = await world.storeTime();
          if (status !== 429) begun.push({ before, after });
          else {
            expect(body).toMatchObject({ ok: false, data: null, error: { code: 'rate_limited' } });
            refused.add(name);
          }
        };
        // Each of them refuses what the others let in. Together: what a name that leads nowhere takes is another machine's.
        const missing = () => routers.filter(({ name }) => !refused.has(name)).map(({ name }) => name);
        await untilMet(missing, async () => {
          await Promise.all(routers.flatMap((each) => Array.from({ length: 4 }, () => create(each))));
        });
        begun.sort((a, b) => a.before - b.before);
        expect(begun.length).toBeGreaterThanOrEqual(MOST_CREATES);
        for (let n = 0; n + MOST_CREATES < begun.length; n++) {
          const eleven = begun.slice(n, n + MOST_CREATES + 1);
          const last = Math.max(...eleven.map(({ after }) => after));
          expect(last - eleven[0]!.before).toBeGreaterThanOrEqual(MINUTE_MS);
        }
        // What asked a node that is not there is not paid.
        await until('the table', async () => (await world.inTable('creates')).requests >= begun.length);
        expect((await world.inTable('creates')).credits).toBe(0);
      },
      LIMIT_MS,
    );

    test(
      'after a rotation every api signs with the new secret, and reads what any of them signed before and after',
      async () => {
        await rotation.settled();
        await rotation.pagesFit();
        await rotation.resumesHold();
      },
      LIMIT_MS,
    );

    test(
      'without Redis each lets in its share of the rate, builds of held quotes answer 503, and it goes on when it is back',
      async () => {
        const steady = await world.makeKey('steady');
        const quote = await quoted(routers[0]!, key);
        const usage = (await world.inTable('steady')).requests;
        await world.takeRedisAway();
        for (const each of routers) {
          await each.program.until('the reason', async () => {
            const { status, body } = await build(each, key, quote);
            expect([each.name, status, body.error]).toEqual([each.name, 503, 'not_ready']);
            if (body.reasons.join().includes('the store of held quotes does not answer')) return true;
            await world.mine();
            return false;
          });
        }
        // Two seconds' worth of a share, the processes that were there for a moment counted as well.
        const share = Math.floor((2 * RATE) / (world.processes.length + 4));
        let sent = 0;
        for (const { app, urls, name } of world.processes) {
          for (let n = 0; n < share; n++, sent++) {
            const { status } = await ask(app === 'api' ? `${urls.api}/chains` : `${urls.base}/evm/venues`, steady);
            expect([name, n, status]).toEqual([name, n, 200]);
          }
        }
        await until('the usage', async () => (await world.inTable('steady')).requests >= usage + sent);
        await world.bringRedisBack();
        for (const each of routers) {
          await each.program.until('quotes that are held', async () => {
            await world.mine();
            const fresh = await ask(quoteUrl(each), key);
            return fresh.status === 200 && (await build(routers[0]!, key, fresh.body as EvmQuote)).status === 200;
          });
        }
        await world.sameBalance('steady', steady, GRANT);
        await world.sameBalance('builds', key, GRANT);
      },
      LIMIT_MS,
    );
  });
});

/** What is a process's own, or of the moment. A cursor holds where its process keeps the view: any of them reads it. */
const OWN = /(ready|health|status|usage|udf\/time|receipts|quote|swap)$/;
const MOMENT = new Set(['timeTaken', 'quoteId', 'expiresAt', 'ageMs', 'observedAt', 'at', 'anchor', 'next']);

function steady(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(steady);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => !MOMENT.has(name));
  return Object.fromEntries(kept.map(([name, each]) => [name, steady(each)]));
}

const HOSTS: Readonly<Record<string, string>> = {
  ...{ api: 'api', gateway: 'rpc', router: 'base', utilities: 'sol', relay: 'relay' },
};

/** Each operation with a request that most of them take; the others refuse it, as their document says. */
function operations(world: SixProcesses) {
  const values: Record<string, string> = {
    ...{ chain: 'eth', address: world.token, ids: `eth:${world.token}`, tokens: `eth:${world.token}`, q: 'WETH' },
    ...{ symbol: `eth:${world.token}`, resolution: '5', wallets: WALLET, wallet: WALLET, limit: '5', board: 'new' },
    ...{ inputMint: 'native', outputMint: world.token, amount: '1000000', name: 'none.png', mint: 'x', query: 'WETH' },
  };
  return Object.entries(HOSTS).flatMap(([file, host]) => {
    const document = parse(readFileSync(join(PROJECT, `docs/openapi/${file}.yaml`), 'utf8'));
    // biome-ignore lint/suspicious/noExplicitAny: a parsed document
    return Object.entries(document.paths as Record<string, Record<string, any>>)
      .filter(([path]) => !/^\/(stream\/\{channel\}|ws|openapi\.yaml)$/.test(path))
      .flatMap(([path, methods]) =>
        ['get', 'post']
          .filter((method) => methods[method] !== undefined)
          .map((method) => {
            const { parameters = [], responses } = methods[method];
            const query = new URLSearchParams();
            for (const { name, in: place } of parameters as { name: string; in: string }[]) {
              if (place === 'query' && WANTED.has(name)) query.append(name, values[name]!);
            }
            const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => values[name]!);
            const body = method === 'post' ? { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] } : undefined;
            return { host, method, path, url: `${filled}?${query}`, responses, document, body };
          }),
      );
  });
}

const WANTED = new Set([
  ...['chain', 'ids', 'tokens', 'q', 'symbol', 'resolution', 'wallets', 'limit'],
  ...['inputMint', 'outputMint', 'amount'],
]);
