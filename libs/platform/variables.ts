import { HOT_MB } from '#libs/core/hot-memory.js';
import { standardPrices } from '#libs/protocol/accounts/prices.js';
import {
  brokers,
  codePins,
  count,
  host,
  httpUrl,
  list,
  nodeUrls,
  oneOf,
  onOff,
  port,
  prices,
  publicUrl,
  redisUrl,
  type Setting,
  secret,
  secrets,
  solanaAddress,
  text,
  trustProxy,
} from './setting.js';

/**
 * Every environment variable the program knows, as data: the configuration is read with it, unknown names are compared
 * with it, and docs/configuration.md is generated from it. `<CHAIN>` is a chain's slug in upper case.
 */
export interface Variable {
  readonly name: string;
  /** Shown as it is in the documentation. */
  readonly fallback: string;
  readonly rule: string;
  readonly about: string;
}

export interface VariableGroup {
  readonly title: string;
  readonly variables: readonly Variable[];
}

const listeners = {
  TIDEPOOL_API_PORT: port(4200).describe('market-data API and console'),
  TIDEPOOL_WS_PORT: port(4201).describe('live interface (WebSocket)'),
  TIDEPOOL_RPC_PORT: port(4202).describe('JSON-RPC gateway'),
  TIDEPOOL_BASE_PORT: port(4100).describe('router and launch routes'),
  TIDEPOOL_SOL_PORT: port(4101).describe('Solana utilities'),
  TIDEPOOL_RELAY_PORT: port(4102).describe('bundle relay'),
  TIDEPOOL_ADMIN_PORT: port(null, '4900 (own process: ingest 4900, api 4901, router 4902)').describe(
    'metrics, health and status',
  ),
  TIDEPOOL_ACCOUNTS_PORT: port(4903).describe('admin API of accounts, on the address of TIDEPOOL_ADMIN_BIND'),
  TIDEPOOL_BIND: host('127.0.0.1').describe('address every listener but the admin one binds'),
  TIDEPOOL_ADMIN_BIND: host('127.0.0.1').describe(
    'address the admin listener binds; loopback even when TIDEPOOL_BIND is not',
  ),
  TIDEPOOL_TRUST_PROXY: trustProxy(false).describe('whose X-Forwarded-For is believed'),
  TIDEPOOL_PUBLIC_API_URL: publicUrl(null, '(none)').describe(
    'the address clients reach the API by; links and images are written with it',
  ),
  TIDEPOOL_PUBLIC_ROUTER_URL: publicUrl(null, '(the router’s own listener)').describe(
    'the address clients reach the router by; the console asks for quotes there',
  ),
};

const chains = {
  TIDEPOOL_CHAINS: list('comma-separated chain names')(
    null,
    'every chain with an RPC; without any, each chain as a local one',
  ).describe('chains to index and serve'),
  'TIDEPOOL_RPC_<CHAIN>': nodeUrls(null, '(none)').describe(
    'nodes of a chain, for example TIDEPOOL_RPC_ETH; grpcs://TOKEN@host is a Yellowstone endpoint',
  ),
  'TIDEPOOL_START_<CHAIN>': count(0, 'a block height, a whole number from 0 on')(null, 'near the head').describe(
    'first block to index',
  ),
  'TIDEPOOL_HISTORY_<CHAIN>': oneOf(
    'auto',
    'ranges',
    'receipts',
    'addresses',
    'transactions',
  )('auto').describe(
    'how the history of an EVM chain is asked for: logs of ranges, receipts of blocks, logs of named contracts, receipts of single transactions, or the first of them that its nodes have',
  ),
  'TIDEPOOL_PROOF_<CHAIN>': oneOf(
    'sampled',
    'every',
  )('sampled').describe(
    'EVM: whether samples of history are checked against their receipts root, or every block; Solana: whether samples are compared whole with those of a second node, or every block',
  ),
  'TIDEPOOL_INCOMPLETE_SLOTS_<CHAIN>': oneOf(
    'wait',
    'take',
  )('wait').describe(
    'Solana: whether a slot that no node completes, or clears of a contradiction, is awaited or taken as it is',
  ),
  TIDEPOOL_RPC_GATEWAY: onOff('on').describe(
    'whether the JSON-RPC gateway is served, which passes questions on to the nodes of the chains',
  ),
  TIDEPOOL_LOCAL_PACE: count(1)(1).describe(
    'above 1 a new local chain begins a day ago and makes its blocks so many times as fast until it reaches the present',
  ),
};

const backends = {
  TIDEPOOL_DATA_DIR: text('a folder')('.tidepool').describe('where all data of this instance lives'),
  TIDEPOOL_KAFKA_BROKERS: brokers(null, '(none: embedded log)').describe('Apache Kafka as the event log'),
  TIDEPOOL_KAFKA_REPLICATION: count(1)(1).describe('replication factor of topics that are created'),
  CLICKHOUSE_URL: httpUrl(null, '(none: embedded chDB)').describe('ClickHouse as the analytics store'),
  TIDEPOOL_REDIS_URL: redisUrl(null, '(none: in process)').describe(
    'Redis or Valkey for what several processes share: held quotes, rate and credits',
  ),
  TIDEPOOL_INSERT_SECONDS: count(0)(60).describe(
    'longest time that new blocks wait to go into the tables, where they are many at most 15; memory answers till then',
  ),
  TIDEPOOL_KEEP_REPLACED_HOURS: count(0)(72).describe(
    'how long facts and tables that an upgrade replaced are kept for a way back',
  ),
  TIDEPOOL_LEASE_SECONDS: count(2)(10).describe(
    'with Kafka: how long the process that reads a chain may be silent before a standby takes over',
  ),
  TIDEPOOL_MIN_FREE_MB: count(
    0,
    'a whole number from 0 on (0 switches the guard off)',
  )(512).describe('free space on the data folder’s disk below which writing stops'),
};

const memory = {
  TIDEPOOL_STORE_CACHE_MB: count(16)(256).describe(
    'memory for the caches of the embedded tables (marks, primary keys, what conditions skip)',
  ),
  TIDEPOOL_HOT_MB: count(0)(HOT_MB).describe(
    'memory of each chain for what an api holds of the tables, so that what was asked before is answered without them',
  ),
  TIDEPOOL_FOLD_OBJECTS: count(1)(150_000).describe(
    'most tokens, pools and ticks of a chain that stay in memory, about a kilobyte each; the rest is read from `state/`',
  ),
  TIDEPOOL_ROUTER_POOLS: count(1)(100_000).describe(
    'most pools of a chain that a router keeps in memory; others, which only their own token needs, wait on disk',
  ),
};

const accounts = {
  TIDEPOOL_ACCOUNTS: onOff('on').describe(
    'off: no keys, no limits, and every listener on loopback; for a router of your own',
  ),
  TIDEPOOL_CREDIT_PRICES: prices(
    standardPrices,
    'free=0,list=2,build=5; status, read, quote, stream, minute=1',
  ).describe(
    'what a request of each class costs, and each started minute of a stream; classes left out keep their price',
  ),
  TIDEPOOL_DEMO_KEY: secret(null, '(made once, in the data folder)').describe(
    'the demo key, where several processes with folders of their own have to know the same one',
  ),
  TIDEPOOL_DEMO_RATE: count(0, 'a whole number from 0 on (0: no limit)')(null, '(its plan’s: 100)').describe(
    'requests a second of the demo key',
  ),
  TIDEPOOL_ADMIN_KEY: secret(null, '(none: no admin API)').describe(
    'key of the admin API for accounts, plans, keys, grants and usage',
  ),
  TIDEPOOL_SECRETS: secrets([], '(made once, in the log)').describe(
    'what page cursors are signed with on every instance: the first one signs, all are accepted',
  ),
};

const live = {
  TIDEPOOL_LIVE_CONNECTIONS: count(1)(5_000).describe(
    'most open sockets and event streams of one listener; one more is answered 503',
  ),
  TIDEPOOL_LIVE_CONNECTIONS_PER_KEY: count(1)(1_000).describe(
    'most open sockets and event streams of one key in a process; one more is answered 503',
  ),
  TIDEPOOL_LIVE_BUFFER_KB: count(64)(1_024).describe(
    'what may wait for one live client that reads slowly; past it frames are dropped, and it gets `lagged`',
  ),
};

const swaps = {
  TIDEPOOL_DISABLED_VENUES: list('comma-separated venue ids')([], '(none)').describe(
    'venues that are never quoted, by the ids that /evm/venues and /venues list',
  ),
  'TIDEPOOL_CODE_PINS_<CHAIN>': codePins(new Map(), '(none)').describe(
    'code of venue contracts that you vouch for; what a venue lacks is named in /evm/venues',
  ),
  TIDEPOOL_SWAP_PROGRAM: solanaAddress(null, '(none; a local chain’s own)').describe(
    'the deployed swap program that the Solana routes quote and build for',
  ),
  TIDEPOOL_RELAY_UPSTREAM: httpUrl(null, '(none; a local chain takes bundles itself)').describe(
    'block engine (Jito’s JSON-RPC) that the bundle relay passes bundles on to',
  ),
  TIDEPOOL_RELAY_TIP_KEY_FILE: text('a file with a key as the Solana command line keeps it, a JSON list of 64 bytes')(
    null,
    '(none: no tips are paid)',
  ).describe('key that pays the tip of bundles that come without one'),
  TIDEPOOL_RELAY_TIP_LAMPORTS: count(1000)(10_000).describe('tip that the relay pays for such a bundle'),
  TIDEPOOL_CONSOLIDATE_FEE_WALLET: solanaAddress(null, '(none: no fee)').describe(
    'wallet that gets the 0.001 SOL fee of each transaction of a consolidation',
  ),
};

const pictures = {
  TIDEPOOL_METADATA: onOff('on').describe(
    'whether pictures and descriptions of tokens are fetched from where their metadata lead',
  ),
  TIDEPOOL_IPFS_GATEWAY: publicUrl('https://ipfs.io').describe(
    'where ipfs:// files of tokens are fetched; /ipfs/ and the path are put behind it',
  ),
  TIDEPOOL_ARWEAVE_GATEWAY: publicUrl('https://arweave.net').describe(
    'where ar:// files of tokens are fetched; the path is put behind it',
  ),
};

const safety = {
  TIDEPOOL_SAFETY: onOff('on').describe(
    'whether tokens of EVM chains are tried on the nodes: what can be sold, taxed, minted or paused',
  ),
};

const logging = {
  TIDEPOOL_LOG_LEVEL: oneOf(
    'trace',
    'debug',
    'info',
    'warn',
    'error',
    'silent',
  )('info').describe('least level that is logged'),
  TIDEPOOL_LOG_FORMAT: oneOf('pretty', 'json')(null, 'pretty on a terminal, else json').describe('how log lines look'),
  TIDEPOOL_SHUTDOWN_SECONDS: count(1)(20).describe('longest orderly stop before the process ends anyway'),
};

const tests = {
  TIDEPOOL_TEST_SCALE: text('a number above 0')('0.1').describe(
    'share of the counts of random tests that run; 1 runs all, as `npm run test:full` does',
  ),
  TIDEPOOL_TEST_RUN: text('a text')('(of the commit)').describe(
    'name that all seeds of a run are derived from; a failed run prints it',
  ),
  TIDEPOOL_TEST_SEED: text('a whole number')('(none)').describe('the one seed to repeat; a failed test prints it'),
  TIDEPOOL_REQUIRE_REAL: text('1')('(none)').describe(
    'a suite that lacks Java and Maven, Chromium, Redis or clang fails instead of being skipped',
  ),
  TIDEPOOL_GENUINE_PROGRAMS: text('a folder')('(none)').describe(
    'deployed programs of Solana venues that `test/genuine` runs, by address (`<address>.so`)',
  ),
  TIDEPOOL_GENUINE_RECORD: text('1')('(none)').describe('writes swaps that `test/genuine` saw as fixtures'),
  TIDEPOOL_CHROMIUM: text('a file')('(the one that is found)').describe('Chromium for the suites of the console'),
  TIDEPOOL_SCREENSHOTS: text('a folder')('.cache/screenshots').describe(
    'where the suites of the console put their pictures',
  ),
  TIDEPOOL_KEEP_SCREENSHOT: text('a file')('(none)').describe('where `test/console/usage.spec.ts` keeps its picture'),
};

export const settings = {
  ...{ ...listeners, ...chains, ...backends, ...memory, ...accounts },
  ...{ ...live, ...swaps, ...pictures, ...safety, ...logging },
};

const group = (title: string, of: Readonly<Record<string, Setting<unknown>>>): VariableGroup => ({
  title,
  variables: Object.entries(of).map(([name, { shown, rule, about }]) => ({ name, fallback: shown, rule, about })),
});

/** The variables by what they are about, in the order in which documentation and `--help` list them. */
export const variableGroups: readonly VariableGroup[] = [
  group('Listeners', listeners),
  group('Chains and nodes', chains),
  group('Data and backends', backends),
  group('Memory', memory),
  group('Keys and accounts', accounts),
  group('Live interface', live),
  group('Swaps and bundles', swaps),
  group('Pictures and descriptions of tokens', pictures),
  group('Safety of tokens', safety),
  group('Process and logging', logging),
];

export const variables: readonly Variable[] = variableGroups.flatMap((group) => group.variables);

/** Read by the test suites only; declared so that they are documented and raise no warning. */
export const testVariables = group('Test suites', tests);
