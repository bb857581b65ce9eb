import { HOT_MB } from '#libs/core/hot-memory.js';

/**
 * Every environment variable the program knows, as data: the configuration is read from it, unknown names are compared
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

const port = (name: string, fallback: number, about: string): Variable => ({
  name,
  fallback: String(fallback),
  rule: 'a port, 0 to 65535 (0 picks a free one)',
  about,
});

/** The variables by what they are about, in the order in which documentation and `--help` list them. */
export const variableGroups: readonly VariableGroup[] = [
  {
    title: 'Listeners',
    variables: [
      port('TIDEPOOL_API_PORT', 4200, 'market-data API and console'),
      port('TIDEPOOL_WS_PORT', 4201, 'live interface (WebSocket)'),
      port('TIDEPOOL_RPC_PORT', 4202, 'JSON-RPC gateway'),
      port('TIDEPOOL_BASE_PORT', 4100, 'router and launch routes'),
      port('TIDEPOOL_SOL_PORT', 4101, 'Solana utilities'),
      port('TIDEPOOL_RELAY_PORT', 4102, 'bundle relay'),
      {
        name: 'TIDEPOOL_ADMIN_PORT',
        fallback: '4900 (own process: ingest 4900, api 4901, router 4902)',
        rule: 'a port, 0 to 65535 (0 picks a free one)',
        about: 'metrics, health and status',
      },
      port('TIDEPOOL_ACCOUNTS_PORT', 4903, 'admin API of accounts, on the address of TIDEPOOL_ADMIN_BIND'),
      {
        name: 'TIDEPOOL_BIND',
        fallback: '127.0.0.1',
        rule: 'an IP address or localhost',
        about: 'address every listener but the admin one binds',
      },
      {
        name: 'TIDEPOOL_ADMIN_BIND',
        fallback: '127.0.0.1',
        rule: 'an IP address or localhost',
        about: 'address the admin listener binds; loopback even when TIDEPOOL_BIND is not',
      },
      {
        name: 'TIDEPOOL_TRUST_PROXY',
        fallback: 'false',
        rule: 'true, false, a number of hops, or a comma-separated list of IP addresses and CIDR ranges',
        about: 'whose X-Forwarded-For is believed',
      },
      {
        name: 'TIDEPOOL_PUBLIC_API_URL',
        fallback: '(none)',
        rule: 'an http or https URL without query',
        about: 'the address clients reach the API by; links and images are written with it',
      },
      {
        name: 'TIDEPOOL_PUBLIC_ROUTER_URL',
        fallback: '(the router’s own listener)',
        rule: 'an http or https URL without query',
        about: 'the address clients reach the router by; the console asks for quotes there',
      },
    ],
  },
  {
    title: 'Chains and nodes',
    variables: [
      {
        name: 'TIDEPOOL_CHAINS',
        fallback: 'every chain with an RPC; without any, each chain as a local one',
        rule: 'comma-separated chain names',
        about: 'chains to index and serve',
      },
      {
        name: 'TIDEPOOL_RPC_<CHAIN>',
        fallback: '(none)',
        rule: 'comma-separated http, https, ws or wss URLs, the preferred first; for Solana also grpc or grpcs URLs',
        about: 'nodes of a chain, for example TIDEPOOL_RPC_ETH; grpcs://TOKEN@host is a Yellowstone endpoint',
      },
      {
        name: 'TIDEPOOL_START_<CHAIN>',
        fallback: 'near the head',
        rule: 'a block height, a whole number from 0 on',
        about: 'first block to index',
      },
      {
        name: 'TIDEPOOL_RPC_GATEWAY',
        fallback: 'on',
        rule: 'on or off',
        about: 'whether the JSON-RPC gateway is served, which passes questions on to the nodes of the chains',
      },
      {
        name: 'TIDEPOOL_LOCAL_PACE',
        fallback: '1',
        rule: 'a whole number from 1 on',
        about:
          'above 1 a new local chain begins a day ago and makes its blocks so many times as fast until it reaches the present',
      },
    ],
  },
  {
    title: 'Data and backends',
    variables: [
      {
        name: 'TIDEPOOL_DATA_DIR',
        fallback: '.tidepool',
        rule: 'a folder',
        about: 'where all data of this instance lives',
      },
      {
        name: 'TIDEPOOL_KAFKA_BROKERS',
        fallback: '(none: embedded log)',
        rule: 'comma-separated host:port',
        about: 'Apache Kafka as the event log',
      },
      {
        name: 'TIDEPOOL_KAFKA_REPLICATION',
        fallback: '1',
        rule: 'a whole number from 1 on',
        about: 'replication factor of topics that are created',
      },
      {
        name: 'CLICKHOUSE_URL',
        fallback: '(none: embedded chDB)',
        rule: 'an http or https URL, credentials allowed',
        about: 'ClickHouse as the analytics store',
      },
      {
        name: 'TIDEPOOL_REDIS_URL',
        fallback: '(none: in process)',
        rule: 'a redis or rediss URL, credentials allowed',
        about: 'Redis or Valkey for what several processes share: held quotes, rate and credits',
      },
      {
        name: 'TIDEPOOL_INSERT_SECONDS',
        fallback: '60',
        rule: 'a whole number from 0 on',
        about:
          'longest time that new blocks wait to go into the tables, where they are many at most 15; memory answers till then',
      },
      {
        name: 'TIDEPOOL_KEEP_REPLACED_HOURS',
        fallback: '72',
        rule: 'a whole number from 0 on',
        about: 'how long facts and tables that an upgrade replaced are kept for a way back',
      },
      {
        name: 'TIDEPOOL_MIN_FREE_MB',
        fallback: '512',
        rule: 'a whole number from 0 on (0 switches the guard off)',
        about: 'free space on the data folder’s disk below which writing stops',
      },
    ],
  },
  {
    title: 'Memory',
    variables: [
      {
        name: 'TIDEPOOL_STORE_CACHE_MB',
        fallback: '256',
        rule: 'a whole number from 16 on',
        about: 'memory for the caches of the embedded tables (marks, primary keys, what conditions skip)',
      },
      {
        name: 'TIDEPOOL_HOT_MB',
        fallback: String(HOT_MB),
        rule: 'a whole number from 0 on',
        about:
          'memory of each chain for what an api holds of the tables, so that what was asked before is answered without them',
      },
      {
        name: 'TIDEPOOL_FOLD_OBJECTS',
        fallback: '150000',
        rule: 'a whole number from 1 on',
        about:
          'most tokens, pools and ticks of a chain that stay in memory, about a kilobyte each; the rest is read from `state/`',
      },
      {
        name: 'TIDEPOOL_ROUTER_POOLS',
        fallback: '100000',
        rule: 'a whole number from 1 on',
        about:
          'most pools of a chain that a router keeps in memory; others, which only their own token needs, wait on disk',
      },
    ],
  },
  {
    title: 'Keys and accounts',
    variables: [
      {
        name: 'TIDEPOOL_ACCOUNTS',
        fallback: 'on',
        rule: 'on or off',
        about: 'off: no keys, no limits, and every listener on loopback; for a router of your own',
      },
      {
        name: 'TIDEPOOL_CREDIT_PRICES',
        fallback: 'free=0,list=2,build=5; status, read, quote, stream, minute=1',
        rule: 'comma-separated class=credits, each a whole number from 0 on',
        about:
          'what a request of each class costs, and each started minute of a stream; classes left out keep their price',
      },
      {
        name: 'TIDEPOOL_DEMO_KEY',
        fallback: '(made once, in the data folder)',
        rule: '24 to 200 visible ASCII characters',
        about: 'the demo key, where several processes with folders of their own have to know the same one',
      },
      {
        name: 'TIDEPOOL_DEMO_RATE',
        fallback: '(its plan’s: 100)',
        rule: 'a whole number from 0 on (0: no limit)',
        about: 'requests a second of the demo key',
      },
      {
        name: 'TIDEPOOL_ADMIN_KEY',
        fallback: '(none: no admin API)',
        rule: '24 to 200 visible ASCII characters',
        about: 'key of the admin API for accounts, plans, keys, grants and usage',
      },
      {
        name: 'TIDEPOOL_SECRETS',
        fallback: '(made once, in the log)',
        rule: 'comma-separated, each 24 to 200 visible ASCII characters',
        about: 'what page cursors are signed with on every instance: the first one signs, all are accepted',
      },
    ],
  },
  {
    title: 'Live interface',
    variables: [
      {
        name: 'TIDEPOOL_LIVE_CONNECTIONS',
        fallback: '5000',
        rule: 'a whole number from 1 on',
        about: 'most open sockets and event streams of one listener; one more is answered 503',
      },
      {
        name: 'TIDEPOOL_LIVE_CONNECTIONS_PER_KEY',
        fallback: '1000',
        rule: 'a whole number from 1 on',
        about: 'most open sockets and event streams of one key in a process; one more is answered 503',
      },
      {
        name: 'TIDEPOOL_LIVE_BUFFER_KB',
        fallback: '1024',
        rule: 'a whole number from 64 on',
        about: 'what may wait for one live client that reads slowly; past it frames are dropped, and it gets `lagged`',
      },
    ],
  },
  {
    title: 'Swaps and bundles',
    variables: [
      {
        name: 'TIDEPOOL_DISABLED_VENUES',
        fallback: '(none)',
        rule: 'comma-separated venue ids',
        about: 'venues that are never quoted, by the ids that /evm/venues and /venues list',
      },
      {
        name: 'TIDEPOOL_CODE_PINS_<CHAIN>',
        fallback: '(none)',
        rule: 'comma-separated 0xaddress=0xhash, the keccak-256 of the contract’s code',
        about: 'code of venue contracts that you vouch for; what a venue lacks is named in /evm/venues',
      },
      {
        name: 'TIDEPOOL_SWAP_PROGRAM',
        fallback: '(none; a local chain’s own)',
        rule: 'a Solana address, base58 of 32 bytes',
        about: 'the deployed swap program that the Solana routes quote and build for',
      },
      {
        name: 'TIDEPOOL_RELAY_UPSTREAM',
        fallback: '(none; a local chain takes bundles itself)',
        rule: 'an http or https URL, credentials allowed',
        about: 'block engine (Jito’s JSON-RPC) that the bundle relay passes bundles on to',
      },
      {
        name: 'TIDEPOOL_RELAY_TIP_KEY_FILE',
        fallback: '(none: no tips are paid)',
        rule: 'a file with a key as the Solana command line keeps it, a JSON list of 64 bytes',
        about: 'key that pays the tip of bundles that come without one',
      },
      {
        name: 'TIDEPOOL_RELAY_TIP_LAMPORTS',
        fallback: '10000',
        rule: 'a whole number from 1000 on',
        about: 'tip that the relay pays for such a bundle',
      },
      {
        name: 'TIDEPOOL_CONSOLIDATE_FEE_WALLET',
        fallback: '(none: no fee)',
        rule: 'a Solana address, base58 of 32 bytes',
        about: 'wallet that gets the 0.001 SOL fee of each transaction of a consolidation',
      },
    ],
  },
  {
    title: 'Pictures and descriptions of tokens',
    variables: [
      {
        name: 'TIDEPOOL_METADATA',
        fallback: 'on',
        rule: 'on or off',
        about: 'whether pictures and descriptions of tokens are fetched from where their metadata lead',
      },
      {
        name: 'TIDEPOOL_IPFS_GATEWAY',
        fallback: 'https://ipfs.io',
        rule: 'an http or https URL without query',
        about: 'where ipfs:// files of tokens are fetched; /ipfs/ and the path are put behind it',
      },
      {
        name: 'TIDEPOOL_ARWEAVE_GATEWAY',
        fallback: 'https://arweave.net',
        rule: 'an http or https URL without query',
        about: 'where ar:// files of tokens are fetched; the path is put behind it',
      },
    ],
  },
  {
    title: 'Process and logging',
    variables: [
      {
        name: 'TIDEPOOL_LOG_LEVEL',
        fallback: 'info',
        rule: 'one of trace, debug, info, warn, error, silent',
        about: 'least level that is logged',
      },
      {
        name: 'TIDEPOOL_LOG_FORMAT',
        fallback: 'pretty on a terminal, else json',
        rule: 'pretty or json',
        about: 'how log lines look',
      },
      {
        name: 'TIDEPOOL_SHUTDOWN_SECONDS',
        fallback: '20',
        rule: 'a whole number from 1 on',
        about: 'longest orderly stop before the process ends anyway',
      },
    ],
  },
];

export const variables: readonly Variable[] = variableGroups.flatMap((group) => group.variables);

/** Read by the test suites only; declared so that they are documented and raise no warning. */
export const testVariables: VariableGroup = {
  title: 'Test suites',
  variables: [
    {
      name: 'TIDEPOOL_TEST_SCALE',
      fallback: '0.1',
      rule: 'a number above 0',
      about: 'share of the counts of random tests that run; 1 runs all, as `npm run test:full` does',
    },
    {
      name: 'TIDEPOOL_TEST_RUN',
      fallback: '(of the commit)',
      rule: 'a text',
      about: 'name that all seeds of a run are derived from; a failed run prints it',
    },
    {
      name: 'TIDEPOOL_TEST_SEED',
      fallback: '(none)',
      rule: 'a whole number',
      about: 'the one seed to repeat; a failed test prints it',
    },
    {
      name: 'TIDEPOOL_REQUIRE_REAL',
      fallback: '(none)',
      rule: '1',
      about: 'a suite that lacks Java and Maven, Chromium, Redis or clang fails instead of being skipped',
    },
    {
      name: 'TIDEPOOL_GENUINE_PROGRAMS',
      fallback: '(none)',
      rule: 'a folder',
      about: 'deployed programs of Solana venues that `test/genuine` runs, by address (`<address>.so`)',
    },
    {
      name: 'TIDEPOOL_GENUINE_RECORD',
      fallback: '(none)',
      rule: '1',
      about: 'writes swaps that `test/genuine` saw as fixtures',
    },
    {
      name: 'TIDEPOOL_CHROMIUM',
      fallback: '(the one that is found)',
      rule: 'a file',
      about: 'Chromium for the suites of the console',
    },
    {
      name: 'TIDEPOOL_SCREENSHOTS',
      fallback: '.cache/screenshots',
      rule: 'a folder',
      about: 'where the suites of the console put their pictures',
    },
    {
      name: 'TIDEPOOL_KEEP_SCREENSHOT',
      fallback: '(none)',
      rule: 'a file',
      about: 'where `test/console/usage.spec.ts` keeps its picture',
    },
  ],
};
