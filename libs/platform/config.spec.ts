import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, type KnownChain, type LoadConfigOptions, loadConfig, reachableUrl } from './config.js';

const chains: KnownChain[] = [
  { slug: 'sol', aliases: ['solana'], networkId: 101, family: 'solana', served: false },
  { slug: 'eth', aliases: ['ethereum'], networkId: 1, family: 'evm', served: true },
  { slug: 'bsc', aliases: ['bnb'], networkId: 56, family: 'evm', served: true },
];

const cwd = mkdtempSync(join(tmpdir(), 'tidepool-config-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const load = (env: Record<string, string>, more: Partial<LoadConfigOptions> = {}) =>
  loadConfig({ app: 'all-in-one', chains, env, cwd, isTerminal: false, ...more });

const problems = (env: Record<string, string>, more: Partial<LoadConfigOptions> = {}): string[] => {
  try {
    load(env, more);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
};

const reading = { way: 'auto', proof: 'sampled' };

describe('the defaults', () => {
  it('run every chain that can be indexed as a local one over the embedded parts, on loopback', () => {
    const config = load({});
    const local = { family: 'evm', rpcUrls: [], startHeight: null, local: true, codePins: new Map(), reading };
    expect(config.chains).toEqual([
      { slug: 'eth', ...local },
      { slug: 'bsc', ...local },
    ]);
    expect(load({ TIDEPOOL_CHAINS: 'eth' }).chains).toEqual([{ slug: 'eth', ...local }]);
    expect([config.publicRouterUrl, config.redisUrl, config.disabledVenues]).toEqual([null, null, []]);
    expect(config.dataDir).toBe(join(cwd, '.tidepool'));
    expect([config.kafka, config.clickhouse, config.publicApiUrl, config.trustProxy]).toEqual([
      null,
      null,
      null,
      false,
    ]);
    expect(
      Object.fromEntries(Object.entries(config.listeners).map(([name, l]) => [name, `${l.host}:${l.port}`])),
    ).toEqual({
      base: '127.0.0.1:4100',
      sol: '127.0.0.1:4101',
      relay: '127.0.0.1:4102',
      api: '127.0.0.1:4200',
      ws: '127.0.0.1:4201',
      rpc: '127.0.0.1:4202',
      admin: '127.0.0.1:4900',
      accounts: '127.0.0.1:4903',
    });
    expect(config.warnings).toEqual([]);
  });

  it('have no secrets of cursors but those that are given, the first one first', () => {
    const secrets = ['a-newer-secret-of-this-installation', 'an-older-secret-of-this-installation'];
    expect(load({}).secretTexts).toEqual([]);
    expect(load({ TIDEPOOL_SECRETS: secrets.join(', ') }).secretTexts).toEqual(secrets);
    expect(problems({ TIDEPOOL_SECRETS: `${secrets[0]},short` }).join()).not.toMatch(/newer|short/);
  });

  it('treat a blank variable as unset', () => {
    expect(load({ TIDEPOOL_API_PORT: '', TIDEPOOL_CHAINS: '  ' })).toEqual(load({}));
  });

  it('give apps that run as separate processes their own metrics port', () => {
    const env = { TIDEPOOL_KAFKA_BROKERS: 'kafka:9092', CLICKHOUSE_URL: 'http://clickhouse:8123' };
    const port = (app: 'ingest' | 'api' | 'router'): number => load(env, { app }).listeners.admin.port;
    expect([port('ingest'), port('api'), port('router')]).toEqual([4900, 4901, 4902]);
  });
});

describe('chains', () => {
  it('are those with a node, in any spelling of TIDEPOOL_CHAINS', () => {
    const env = { TIDEPOOL_RPC_BSC: 'https://a.example, wss://b.example/ws', TIDEPOOL_START_BSC: '12' };
    const rpcUrls = ['https://a.example', 'wss://b.example/ws'];
    const bsc = { slug: 'bsc', family: 'evm', rpcUrls, startHeight: 12, local: false, codePins: new Map(), reading };
    expect(load(env).chains).toEqual([bsc]);
    expect(load({ ...env, TIDEPOOL_CHAINS: 'BNB,56' }).chains).toEqual([bsc]);
  });

  it('name the slugs when one is unknown, and the variable that is missing', () => {
    expect(problems({ TIDEPOOL_CHAINS: 'dogechain' })[0]).toBe(
      'TIDEPOOL_CHAINS: "dogechain" is not a chain; use sol, eth, bsc',
    );
    expect(problems({ TIDEPOOL_CHAINS: 'eth,bsc', TIDEPOOL_RPC_ETH: 'http://a' })[0]).toMatch(
      /^TIDEPOOL_RPC_BSC: needed/,
    );
    expect(problems({ TIDEPOOL_CHAINS: 'sol' })[0]).toMatch(/^TIDEPOOL_CHAINS: sol is known but cannot be indexed/);
    expect(problems({ TIDEPOOL_RPC_SOL: 'http://a' })[0]).toMatch(
      /^TIDEPOOL_RPC_SOL: sol is known but cannot be indexed/,
    );
  });

  it('that cannot be run locally are left out without a node, and need one where they are named', () => {
    const known = [
      ...chains,
      { slug: 'far', aliases: [], networkId: 9, family: 'evm' as const, served: true, local: false },
    ];
    const slugs = (env: Record<string, string>) => load(env, { chains: known }).chains.map(({ slug }) => slug);
    expect(slugs({})).toEqual(['eth', 'bsc']);
    expect(slugs({ TIDEPOOL_RPC_FAR: 'http://a' })).toEqual(['far']);
    for (const named of ['far', 'eth,far']) {
      expect(problems({ TIDEPOOL_CHAINS: named }, { chains: known })).toEqual([
        'TIDEPOOL_RPC_FAR: needed because no local chain of far can be run',
      ]);
    }
    const parts = { TIDEPOOL_KAFKA_BROKERS: 'k:1', CLICKHOUSE_URL: 'http://c' };
    expect(load(parts, { app: 'api', chains: known }).chains.map(({ slug }) => slug)).toEqual(['eth', 'bsc', 'far']);
  });

  it('of Solana may have Yellowstone endpoints next to a node, whose tokens are secrets', () => {
    const rpcUrls = ['https://a.example', 'grpcs://t0ken@b.example', 'grpc://c.example:10000/?x-token=s%2Fx'];
    const served = chains.map((chain) => ({ ...chain, served: true }));
    const config = load({ TIDEPOOL_RPC_SOL: rpcUrls.join(', ') }, { chains: served });
    expect(config.chains).toMatchObject([{ slug: 'sol', rpcUrls }]);
    expect(config.secrets).toEqual(expect.arrayContaining(['t0ken', 's/x']));
  });

  it('say how their history is read and proven', () => {
    const node = { TIDEPOOL_RPC_BSC: 'https://a.example' };
    const wanted = { ...node, TIDEPOOL_HISTORY_BSC: 'receipts', TIDEPOOL_PROOF_BSC: 'every' };
    expect(load(wanted).chains[0]!.reading).toEqual({ way: 'receipts', proof: 'every' });
    expect(() => load({ ...node, TIDEPOOL_HISTORY_BSC: 'all' })).toThrow(/TIDEPOOL_HISTORY_BSC/);
  });

  it('need no node in an app that reads none', () => {
    const env = { TIDEPOOL_KAFKA_BROKERS: 'k:1', CLICKHOUSE_URL: 'http://c', TIDEPOOL_CHAINS: 'bsc' };
    expect(load(env, { app: 'api' }).chains).toEqual([
      { slug: 'bsc', family: 'evm', rpcUrls: [], startHeight: null, local: false, codePins: new Map(), reading },
    ]);
  });

  it('have code pins of their own', () => {
    const [address, hash] = ['AB'.repeat(20), 'Cd'.repeat(32)];
    const { chains: found } = load({ TIDEPOOL_CODE_PINS_BSC: `0x${address}=0x${hash}`, TIDEPOOL_CHAINS: 'bsc' });
    expect([...found[0]!.codePins]).toEqual([[address.toLowerCase(), hash.toLowerCase()]]);
  });
});

describe('wrong values', () => {
  const wrong: [string, string][] = [
    ['TIDEPOOL_API_PORT', '65536'],
    ['TIDEPOOL_API_PORT', '80.5'],
    ['TIDEPOOL_API_PORT', '-1'],
    ['TIDEPOOL_BIND', 'example.org'],
    ['TIDEPOOL_ADMIN_BIND', '1.2.3'],
    ['TIDEPOOL_TRUST_PROXY', 'maybe'],
    ['TIDEPOOL_TRUST_PROXY', '10.0.0.0/33'],
    ['TIDEPOOL_PUBLIC_API_URL', 'api.example.org'],
    ['TIDEPOOL_PUBLIC_API_URL', 'https://api.example.org/?key=1'],
    ['TIDEPOOL_CHAINS', 'eth,,bsc'],
    ['TIDEPOOL_CODE_PINS_ETH', '0xab=0xcd'],
    ['TIDEPOOL_REDIS_URL', 'http://redis:6379'],
    ['TIDEPOOL_PUBLIC_ROUTER_URL', 'https://user:secret@router.example'],
    ['TIDEPOOL_RPC_ETH', 'ftp://node'],
    ['TIDEPOOL_RPC_ETH', 'node:8545/'],
    ['TIDEPOOL_RPC_ETH', 'http://node,grpc://node:10000'],
    ['TIDEPOOL_RPC_SOL', 'grpcs://node.example'],
    ['TIDEPOOL_RPC_SOL', 'http://node,grpc:node'],
    ['TIDEPOOL_START_ETH', '0x10'],
    ['TIDEPOOL_KAFKA_BROKERS', 'kafka'],
    ['TIDEPOOL_KAFKA_BROKERS', 'kafka:0'],
    ['CLICKHOUSE_URL', 'clickhouse:8123'],
    ['TIDEPOOL_LOG_LEVEL', 'loud'],
    ['TIDEPOOL_LOG_FORMAT', 'xml'],
    ['TIDEPOOL_INSERT_SECONDS', 'soon'],
    ['TIDEPOOL_STORE_CACHE_MB', '15'],
    ['TIDEPOOL_HOT_MB', '-1'],
    ['TIDEPOOL_SECRETS', 'an-older-secret-of-this-installation,short'],
    ['TIDEPOOL_LOCAL_PACE', '0'],
    ['TIDEPOOL_SHUTDOWN_SECONDS', '0'],
    ['TIDEPOOL_MIN_FREE_MB', 'lots'],
  ];

  it.each(wrong)('%s=%s names the variable and its rule', (name, value) => {
    const found = problems({ [name]: value });
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(new RegExp(`^${name}: .*; it must be .+`));
  });

  it('are all reported at once', () => {
    expect(problems(Object.fromEntries(wrong)).length).toBe(new Set(wrong.map(([name]) => name)).size);
  });

  it('never repeat a URL, which may hold a key', () => {
    const text = problems({ TIDEPOOL_RPC_ETH: 'ftp://node.example/s3cr3ts3cr3ts3cr3t' }).join('\n');
    expect(text).not.toContain('s3cr3t');
  });

  it('refuse an instance without keys on an address that others reach', () => {
    expect(problems({ TIDEPOOL_ACCOUNTS: 'off', TIDEPOOL_BIND: '0.0.0.0' })).toEqual([
      expect.stringMatching(/^TIDEPOOL_BIND: it must be loopback .* while TIDEPOOL_ACCOUNTS is off$/),
    ]);
    for (const bind of ['127.0.0.1', '::1', 'localhost']) {
      expect(problems({ TIDEPOOL_ACCOUNTS: 'off', TIDEPOOL_BIND: bind })).toEqual([]);
    }
    expect(problems({ TIDEPOOL_CREDIT_PRICES: 'build=9,reed=2' })).toEqual([
      expect.stringMatching(/^TIDEPOOL_CREDIT_PRICES: "reed" is no class; there are .*; it must be comma-separated/),
    ]);
  });

  it('refuse an app of its own process without the shared stores', () => {
    expect(problems({}, { app: 'api' }).map((line) => line.split(':')[0])).toEqual([
      'TIDEPOOL_KAFKA_BROKERS',
      'CLICKHOUSE_URL',
    ]);
    expect(problems({}, { app: 'router' }).map((line) => line.split(':')[0])).toEqual(['TIDEPOOL_KAFKA_BROKERS']);
  });
});

describe('unknown variables', () => {
  it('are warned about with the nearest name', () => {
    const { warnings } = load({ TIDEPOOL_API_PROT: '1', TIDEPOOL_RPC_ETHEREUM: 'http://a', TIDEPOOL_TEST_SCALE: '1' });
    expect(warnings).toHaveLength(2);
    expect(warnings[0]).toMatch(/^TIDEPOOL_API_PROT .* did you mean TIDEPOOL_API_PORT\?$/);
    expect(warnings[1]).toMatch(/^TIDEPOOL_RPC_ETHEREUM /);
  });
});

describe('the .env file', () => {
  const path = join(cwd, '.env');
  afterEach(() => rmSync(path, { force: true }));

  it('fills what the environment leaves open', () => {
    writeFileSync(
      path,
      '# ports\nTIDEPOOL_API_PORT=5000 # api\nexport TIDEPOOL_WS_PORT="5001"\nTIDEPOOL_DATA_DIR=\'a b\'\n',
    );
    const config = load({ TIDEPOOL_WS_PORT: '6001' });
    expect([config.listeners.api.port, config.listeners.ws.port, config.dataDir]).toEqual([
      5000,
      6001,
      join(cwd, 'a b'),
    ]);
  });

  it('names the line that cannot be read', () => {
    writeFileSync(path, 'TIDEPOOL_API_PORT=5000\nnonsense\n');
    expect(() => load({})).toThrow(/\.env, line 2: expected NAME=value/);
    writeFileSync(path, 'TIDEPOOL_DATA_DIR="open\n');
    expect(() => load({})).toThrow(/line 1: the quote is not closed/);
  });
});

describe('secrets', () => {
  it('are the parts of URLs that give access', () => {
    const { secrets } = load({
      TIDEPOOL_RPC_ETH: 'https://node.example/v2/abcdefghijklmnop,wss://u:p%40ss@other.example/?token=qrstuvwxyz0123',
      CLICKHOUSE_URL: 'http://default:pw@localhost:8123',
    });
    expect(secrets).toEqual(expect.arrayContaining(['abcdefghijklmnop', 'p%40ss', 'p@ss', 'qrstuvwxyz0123', 'pw']));
    expect(secrets).not.toContain('v2');
  });
});

it('a listener on every address is reached over loopback', () => {
  const urls = ['http://0.0.0.0:4100', 'http://[::]:4100', 'http://[::1]:4100', 'http://192.0.2.1:4100'];
  expect(urls.map(reachableUrl)).toEqual([
    'http://127.0.0.1:4100',
    'http://[::1]:4100',
    'http://[::1]:4100',
    'http://192.0.2.1:4100',
  ]);
});
