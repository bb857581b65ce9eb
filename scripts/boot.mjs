// Boots the built output of every app the way people run it, and looks at it from outside: the all-in-one through the
// launcher (orderly stop, resumption, launcher killed), then ingest, api and router as separate processes over a real Kafka
// broker and a ClickHouse endpoint. Named imports from CommonJS, missing assets and forgotten files fail here and in no unit
// test. Last line: `N passed, N failed`.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { buildIfNeeded, installIfNeeded, PROJECT } from './lib/prepare.mjs';

const WETH = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2';
const WAIT_MS = 180_000;
const built = (path) => import(pathToFileURL(join(PROJECT, 'dist', path)).href);

const root = mkdtempSync(join(tmpdir(), 'tidepool-boot-'));
const cleanups = [];
let passed = 0;
let failed = 0;

async function check(name, work) {
  try {
    await work();
    passed++;
    console.log(`ok     ${name}`);
  } catch (error) {
    failed++;
    console.log(`FAILED ${name}: ${error.message}`);
  }
}

/** Ports that were free a moment ago; all are held while they are chosen, so that they differ. */
async function freePorts(count) {
  const servers = await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise((done) => {
          const server = createServer().listen(0, '127.0.0.1', () => done(server));
        }),
    ),
  );
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  return ports;
}

/** A process of the project whose output is kept for the case that something fails. */
class App {
  constructor(args, env) {
    this.output = '';
    this.child = spawn(process.execPath, args, {
      cwd: PROJECT,
      env: { ...process.env, UV_THREADPOOL_SIZE: '16', TIDEPOOL_LOG_FORMAT: 'json', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream.on('data', (chunk) => {
        this.output = (this.output + chunk).slice(-20_000);
      });
    }
    this.ended = new Promise((done) => this.child.once('exit', (code, signal) => done(signal ?? code)));
    cleanups.push(() => this.kill('SIGKILL'));
  }

  get running() {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  kill(signal) {
    if (this.running) this.child.kill(signal);
    return this.ended;
  }

  /** Asks again until the answer suits or the app ended. */
  async until(what, ask) {
    const deadline = Date.now() + WAIT_MS;
    let last = 'no answer';
    while (this.running && Date.now() < deadline) {
      try {
        const answer = await ask();
        if (answer) return answer;
      } catch (error) {
        last = error.message;
      }
      await sleep(250);
    }
    throw new Error(`${what}: ${this.running ? last : 'the process ended'}\n${this.output.slice(-4_000)}`);
  }

  async stopsInOrder() {
    const result = await this.kill('SIGTERM');
    if (result !== 0) throw new Error(`ended with ${result}\n${this.output.slice(-4_000)}`);
  }
}

async function getJson(url, key) {
  const response = await fetch(url, { headers: key ? { 'x-api-key': key } : {}, signal: AbortSignal.timeout(10_000) });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}: ${text.slice(0, 300)}`);
  return JSON.parse(text);
}

/** Processes that still have the folder in their command line: what an instance left behind. */
function leftBehind(folder) {
  if (!existsSync('/proc')) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder);
      } catch {
        return false; // it ended meanwhile
      }
    });
}

async function nothingLeftBehind(folder) {
  for (let i = 0; i < 40 && leftBehind(folder).length > 0; i++) await sleep(250);
  const left = leftBehind(folder);
  if (left.length > 0) throw new Error(`processes ${left.join(', ')} still use ${folder}`);
}

const tradesOf = (url) => `${url}/tokens/eth/${WETH}/trades?limit=1`;
const keyOf = (dir) => readFileSync(join(dir, 'demo-key'), 'utf8').trim();

async function allInOne() {
  const dir = join(root, 'all-in-one');
  const [base, api, admin] = await freePorts(3);
  const env = {
    ...{ TIDEPOOL_DATA_DIR: dir, TIDEPOOL_BASE_PORT: base, TIDEPOOL_API_PORT: api, TIDEPOOL_ADMIN_PORT: admin },
    ...{ TIDEPOOL_WS_PORT: '0', TIDEPOOL_RPC_PORT: '0', TIDEPOOL_SOL_PORT: '0', TIDEPOOL_RELAY_PORT: '0' },
    TIDEPOOL_CHAINS: 'eth',
  };
  const url = `http://127.0.0.1:${api}`;
  const start = () => new App([join(PROJECT, 'scripts/start.mjs')], env);
  const served = (app) => app.until('trades', async () => (await getJson(tradesOf(url), keyOf(dir))).data.length > 0);
  const head = async () => (await getJson(tradesOf(url), keyOf(dir))).meta.block;

  let before = Number.POSITIVE_INFINITY;
  let app = start();
  await check('all-in-one: every listener answers /health', async () => {
    for (const port of [api, base, admin]) {
      const health = await app.until('health', () => getJson(`http://127.0.0.1:${port}/health`));
      if (health.status !== 'ok') throw new Error(JSON.stringify(health));
    }
  });
  await check('all-in-one: serves trades and candles of the local chain', async () => {
    await served(app);
    const candles = await getJson(`${url}/tokens/eth/${WETH}/candles?interval=1m&limit=5`, keyOf(dir));
    if (candles.data.length === 0) throw new Error('no candles');
    before = await head();
    if (!(before > 0)) throw new Error(`the head is ${before}`);
  });
  await check('all-in-one: serves the console and every asset it names', async () => {
    const page = await fetch(`${url}/`);
    const assets = [...(await page.text()).matchAll(/\/assets\/[\w.-]+/g)].map(([path]) => path);
    if (page.status !== 200 || assets.length < 2) throw new Error(`status ${page.status}, ${assets.length} assets`);
    for (const path of assets) {
      const { status } = await fetch(`${url}${path}`);
      if (status !== 200) throw new Error(`${path} answers ${status}`);
    }
  });
  await check('all-in-one: the command line talks to it', async () => {
    const status = new App([join(PROJECT, 'scripts/tidepool.mjs'), 'status', '--json'], env);
    const code = await status.ended;
    if (code !== 0) throw new Error(`status ended with ${code}: ${status.output.slice(-1_000)}`);
  });
  await check('all-in-one: SIGTERM ends it in order', () => app.stopsInOrder());
  await check('all-in-one: nothing is left running', () => nothingLeftBehind(dir));
  app = start();
  await check('all-in-one: the next start continues where it was', async () => {
    await served(app);
    await app.until(
      'a head at or above the earlier one',
      async () => JSON.stringify(await head()) !== JSON.stringify(before),
    );
  });
  await check('all-in-one: a killed launcher takes the program with it', async () => {
    await app.kill('SIGKILL');
    await nothingLeftBehind(dir);
    await app.ended;
  });
}

async function separateProcesses() {
  const { kafkaMissing, startKafkaBroker } = await built('libs/devkit/testing/kafka-broker.js');
  const missing = kafkaMissing();
  if (missing !== null) {
    console.log(`SKIPPED: apps as separate processes: ${missing}`);
    if (process.env.TIDEPOOL_REQUIRE_REAL === '1') failed++;
    return;
  }
  const broker = await startKafkaBroker();
  cleanups.push(() => broker.stop());
  const [base, api, adminIngest, adminApi, adminRouter] = await freePorts(5);
  const endpoint = await startEndpoint(join(root, 'clickhouse'));
  const { startLocalChain } = await built('libs/devkit/devnet/evm/local-chain.js');
  const chain = await startLocalChain({ chain: 'eth', dataDir: join(root, 'chain'), reorgs: true });
  cleanups.push(() => chain.stop());

  const dir = join(root, 'processes');
  const env = {
    TIDEPOOL_DATA_DIR: dir,
    TIDEPOOL_KAFKA_BROKERS: broker.brokers.join(','),
    CLICKHOUSE_URL: endpoint,
    TIDEPOOL_RPC_ETH: `${chain.rpcUrl},${chain.wsUrl}`,
    TIDEPOOL_START_ETH: '0',
    TIDEPOOL_CODE_PINS_ETH: [...chain.codePins].map(([address, hash]) => `0x${address}=0x${hash}`).join(','),
  };
  const main = (app) => join(PROJECT, 'dist/apps', app, 'src/main.js');
  const ingest = new App([main('ingest')], { ...env, TIDEPOOL_ADMIN_PORT: adminIngest });
  await check('ingest: boots over Kafka and ClickHouse', () =>
    ingest.until('health', () => getJson(`http://127.0.0.1:${adminIngest}/health`)),
  );
  const apiApp = new App([main('api')], {
    ...env,
    TIDEPOOL_API_PORT: api,
    TIDEPOOL_WS_PORT: '0',
    TIDEPOOL_RPC_PORT: '0',
    TIDEPOOL_ADMIN_PORT: adminApi,
  });
  await check('api: boots as its own process and answers /health', () =>
    apiApp.until('health', () => getJson(`http://127.0.0.1:${api}/health`)),
  );
  const router = new App([main('router')], { ...env, TIDEPOOL_BASE_PORT: base, TIDEPOOL_ADMIN_PORT: adminRouter });
  await check('router: boots as its own process and answers /health', () =>
    router.until('health', () => getJson(`http://127.0.0.1:${base}/health`)),
  );
  await check('api: serves what ingest wrote, through topics and tables alone', async () => {
    const served = async () => (await getJson(tradesOf(`http://127.0.0.1:${api}`), keyOf(dir))).data.length > 0;
    await apiApp.until('trades', served).catch((error) => {
      throw new Error(`${error.message}\ningest says:\n${ingest.output.slice(-4_000)}`);
    });
  });
  await check('router: trades on the chain that ingest reads, through topics alone', () =>
    router.until('readiness', async () => (await getJson(`http://127.0.0.1:${base}/evm/ready`)).ready),
  );
  for (const [name, app] of Object.entries({ router, api: apiApp, ingest })) {
    await check(`${name}: SIGTERM ends it in order`, () => app.stopsInOrder());
  }
}

/** The ClickHouse endpoint of the store's tests: ClickHouse itself behind its HTTP interface. It prints its port. */
async function startEndpoint(dir) {
  const program = join(PROJECT, 'dist/libs/pipeline/store/test/clickhouse-endpoint-main.js');
  const env = {
    ...process.env,
    UV_THREADPOOL_SIZE: '16',
    ENDPOINT_DIR: dir,
    ENDPOINT_USER: 'default',
    ENDPOINT_PASSWORD: '',
  };
  const child = spawn(process.execPath, [program], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise((done) => child.once('exit', done));
  cleanups.push(() => {
    child.kill('SIGTERM');
    return ended;
  });
  const port = await Promise.race([
    new Promise((done) => child.stdout.once('data', (chunk) => done(String(chunk).trim()))),
    ended.then(() => Promise.reject(new Error('the ClickHouse endpoint ended before it listened'))),
  ]);
  return `http://127.0.0.1:${port}`;
}

try {
  await installIfNeeded();
  await buildIfNeeded();
  // One part alone: node scripts/boot.mjs all-in-one | processes
  const [part] = process.argv.slice(2);
  if (part === undefined || part === 'all-in-one') await allInOne();
  if (part === undefined || part === 'processes') await separateProcesses();
} catch (error) {
  failed++;
  console.log(`FAILED boot: ${error.stack ?? error.message}`);
} finally {
  for (const cleanup of cleanups.reverse()) await cleanup();
  rmSync(root, { recursive: true, force: true, maxRetries: 20 });
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
