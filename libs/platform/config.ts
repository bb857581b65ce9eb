import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { TidepoolError } from '#libs/core/errors.js';
import type { Prices } from '#libs/protocol/accounts/prices.js';
import { readEnvFile } from './env-file.js';
import { EnvReader } from './env-reader.js';
import { solanaUrls } from './setting.js';
import { unknownVariables } from './unknown-variables.js';

export type AppName = 'all-in-one' | 'ingest' | 'api' | 'router' | 'cli';
type ListenerName = (typeof PUBLIC_LISTENERS)[number] | 'admin' | 'accounts';
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';

export interface ListenerConfig {
  host: string;
  port: number;
  /** The variable that sets the port: errors name it. */
  variable: string;
  /** The variable that sets the host. */
  hostVariable: string;
}

/** How the history of an EVM chain is asked for, and how much of it is proven by receipts. */
export interface ChainReading {
  way: 'auto' | 'ranges' | 'receipts' | 'addresses' | 'transactions';
  proof: 'sampled' | 'every';
}

export interface ChainConfig {
  slug: string;
  family: 'evm' | 'solana';
  /** In order of preference; empty for the local chain, and in an app that reads no chain. */
  rpcUrls: string[];
  /** null: near the head. */
  startHeight: number | null;
  reading: ChainReading;
  /** True when this instance runs its own local chain for it, because no node is configured. */
  local: boolean;
  /** Code hashes that the operator vouches for, by contract address; both lower-case hex without prefix. */
  codePins: ReadonlyMap<string, string>;
  /** Slots that no node completes are taken as they are; absent: they are awaited. */
  takeIncomplete?: true;
}

/** Everything that is configured from outside. Built once, before anything else; nothing else reads process.env. */
export interface Config {
  app: AppName;
  dataDir: string;
  listeners: Record<ListenerName, ListenerConfig>;
  trustProxy: boolean | number | string[];
  publicApiUrl: string | null;
  /** Address at which clients reach the router; null: pages get its listener's own, when it runs in this process. */
  publicRouterUrl: string | null;
  /** Where files that tokens name are fetched; null: they are not. */
  metadata: { ipfsGateway: string; arweaveGateway: string } | null;
  /** Whether tokens of EVM chains are tried on the nodes. */
  probesTokens: boolean;
  /** Whether the JSON-RPC gateway is served. */
  rpcGateway: boolean;
  /** null: quotes are held, and rate and credits counted, in this process. */
  redisUrl: string | null;
  /** Base58 address of the deployed swap program that the Solana routes build for; null: none, unless the chain is local. */
  swapProgram: string | null;
  accounts: {
    /** False: no keys and no limits; then every listener is on loopback. */
    on: boolean;
    /** What a request of each class costs, in credits. */
    prices: Prices;
    /** The demo key, the same for every process; null: made once, in the data folder. */
    demoKey: string | null;
    /** Requests a second of the demo key; 0: no limit; null: its plan's. */
    demoRate: number | null;
    /** The key of the admin API; null: there is none. */
    adminKey: string | null;
  };
  /** The bundle relay: where bundles go, and who pays the tip of those without one. */
  relay: { upstream: string | null; tipKeyFile: string | null; tipLamports: number };
  /** Base58 address of the wallet that gets the fee of consolidations; null: there is none. */
  consolidateFeeWallet: string | null;
  /** Ids of venues that are never quoted. */
  disabledVenues: string[];
  /** Bounds of the live interface. */
  live: {
    /** Most open connections of one listener. */
    maxConnections: number;
    /** Most open connections of one key, over all listeners of the process. */
    connectionsPerKey: number;
    /** What one connection may have waiting that its client has not read. */
    bufferBytes: number;
  };
  chains: ChainConfig[];
  /** null: the embedded log in the data folder. */
  kafka: { brokers: string[]; replicationFactor: number } | null;
  /** null: chDB in the data folder. */
  clickhouse: { url: string } | null;
  /** Of the embedded tables' caches together. */
  storeCacheBytes: number;
  /** What a reader may hold of the tables, for each chain. */
  hotBytes: number;
  log: { level: LogLevel; format: 'pretty' | 'json' };
  /** Longest between two inserts of a chain into its tables at the head. */
  insertEveryMs: number;
  /** How many times as fast a new local chain lives through its last day; 1: it begins in the present. */
  localPace: number;
  shutdownMs: number;
  minFreeBytes: number;
  /** How long the process that reads a chain may be silent before another one takes over. */
  leaseMs: number;
  /** How long facts and tables that an upgrade replaced are kept for a way back. */
  keepReplacedMs: number;
  /** Most tokens, pools and ticks of a chain that its fold keeps in memory as objects. */
  foldObjects: number;
  /** Most pools of a chain that a router keeps in memory. */
  routerPools: number;
  /** What page cursors are signed with: the first one signs, all are accepted; empty: what the log has. */
  secretTexts: string[];
  /** Strings that never reach a log: credentials and URLs that carry them. */
  secrets: string[];
  /** To be logged once the logger exists. */
  warnings: string[];
}

/** The part of a chain that the configuration needs; libs/chain/chains provides it. */
export interface KnownChain {
  slug: string;
  aliases: readonly string[];
  networkId: number;
  family: 'evm' | 'solana';
  /** Whether this version can index it. */
  served: boolean;
  /** False: no local chain of it can be run, so that it needs a node. */
  local?: boolean;
}

export interface LoadConfigOptions {
  app: AppName;
  chains: readonly KnownChain[];
  env?: Record<string, string | undefined>;
  cwd?: string;
  isTerminal?: boolean;
}

/** One error that lists every variable that is wrong, so that one run shows them all. */
export class ConfigError extends TidepoolError {
  constructor(readonly problems: string[]) {
    super('config', `the configuration cannot be used:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
}

const PUBLIC_LISTENERS = ['base', 'sol', 'relay', 'api', 'ws', 'rpc'] as const;
const ADMIN_PORTS: Record<AppName, number> = { 'all-in-one': 4900, ingest: 4900, api: 4901, router: 4902, cli: 0 };

export function loadConfig(options: LoadConfigOptions): Config {
  const cwd = options.cwd ?? process.cwd();
  const outer = options.env ?? process.env;
  const env: Record<string, string | undefined> = { ...readEnvFile(resolve(cwd, '.env')) };
  for (const [name, value] of Object.entries(outer)) if (value !== undefined && value !== '') env[name] = value;
  const read = new EnvReader(env);

  const bind = read.value('TIDEPOOL_BIND');
  const adminBind = read.value('TIDEPOOL_ADMIN_BIND');
  const listener = (name: ListenerName, address: string, hostVariable: string): ListenerConfig => {
    const variable = `TIDEPOOL_${name.toUpperCase() as Uppercase<ListenerName>}_PORT` as const;
    return { host: address, port: read.value(variable) ?? ADMIN_PORTS[options.app], variable, hostVariable };
  };
  const listeners = {
    admin: listener('admin', adminBind, 'TIDEPOOL_ADMIN_BIND'),
    accounts: listener('accounts', adminBind, 'TIDEPOOL_ADMIN_BIND'),
  } as Record<ListenerName, ListenerConfig>;
  for (const name of PUBLIC_LISTENERS) listeners[name] = listener(name, bind, 'TIDEPOOL_BIND');
  const brokers = read.value('TIDEPOOL_KAFKA_BROKERS');
  const clickhouseUrl = read.value('CLICKHOUSE_URL');
  const terminal = options.isTerminal ?? process.stderr.isTTY === true;
  const config: Config = {
    app: options.app,
    dataDir: resolve(cwd, read.value('TIDEPOOL_DATA_DIR')),
    listeners,
    trustProxy: read.value('TIDEPOOL_TRUST_PROXY'),
    publicApiUrl: read.value('TIDEPOOL_PUBLIC_API_URL'),
    publicRouterUrl: read.value('TIDEPOOL_PUBLIC_ROUTER_URL'),
    metadata: readMetadata(read),
    probesTokens: read.value('TIDEPOOL_SAFETY') === 'on',
    rpcGateway: read.value('TIDEPOOL_RPC_GATEWAY') === 'on',
    redisUrl: read.value('TIDEPOOL_REDIS_URL'),
    swapProgram: read.value('TIDEPOOL_SWAP_PROGRAM'),
    accounts: {
      on: read.value('TIDEPOOL_ACCOUNTS') === 'on',
      prices: read.value('TIDEPOOL_CREDIT_PRICES'),
      demoKey: read.value('TIDEPOOL_DEMO_KEY'),
      demoRate: read.value('TIDEPOOL_DEMO_RATE'),
      adminKey: read.value('TIDEPOOL_ADMIN_KEY'),
    },
    relay: {
      upstream: read.value('TIDEPOOL_RELAY_UPSTREAM'),
      tipKeyFile: read.value('TIDEPOOL_RELAY_TIP_KEY_FILE'),
      tipLamports: read.value('TIDEPOOL_RELAY_TIP_LAMPORTS'),
    },
    consolidateFeeWallet: read.value('TIDEPOOL_CONSOLIDATE_FEE_WALLET'),
    disabledVenues: read.value('TIDEPOOL_DISABLED_VENUES'),
    live: {
      maxConnections: read.value('TIDEPOOL_LIVE_CONNECTIONS'),
      connectionsPerKey: read.value('TIDEPOOL_LIVE_CONNECTIONS_PER_KEY'),
      bufferBytes: read.value('TIDEPOOL_LIVE_BUFFER_KB') * 1024,
    },
    chains: readChains(read, options),
    kafka: brokers && { brokers, replicationFactor: read.value('TIDEPOOL_KAFKA_REPLICATION') },
    clickhouse: clickhouseUrl === null ? null : { url: clickhouseUrl },
    hotBytes: read.value('TIDEPOOL_HOT_MB') * 1024 * 1024,
    storeCacheBytes: read.value('TIDEPOOL_STORE_CACHE_MB') * 1024 * 1024,
    log: {
      level: read.value('TIDEPOOL_LOG_LEVEL'),
      format: read.value('TIDEPOOL_LOG_FORMAT') ?? (terminal ? 'pretty' : 'json'),
    },
    insertEveryMs: read.value('TIDEPOOL_INSERT_SECONDS') * 1000,
    localPace: read.value('TIDEPOOL_LOCAL_PACE'),
    shutdownMs: read.value('TIDEPOOL_SHUTDOWN_SECONDS') * 1000,
    foldObjects: read.value('TIDEPOOL_FOLD_OBJECTS'),
    routerPools: read.value('TIDEPOOL_ROUTER_POOLS'),
    keepReplacedMs: read.value('TIDEPOOL_KEEP_REPLACED_HOURS') * 3_600_000,
    leaseMs: read.value('TIDEPOOL_LEASE_SECONDS') * 1000,
    minFreeBytes: read.value('TIDEPOOL_MIN_FREE_MB') * 1024 * 1024,
    secretTexts: read.value('TIDEPOOL_SECRETS'),
    secrets: [],
    warnings: unknownVariables(
      env,
      options.chains.map((chain) => chain.slug),
    ),
  };
  if (!config.accounts.on && !isLoopback(bind)) {
    read.problem('TIDEPOOL_BIND: it must be loopback (127.0.0.1, ::1, localhost) while TIDEPOOL_ACCOUNTS is off');
  }
  if (!config.accounts.on && config.accounts.adminKey !== null) {
    read.problem('TIDEPOOL_ADMIN_KEY: there is nothing to administer while TIDEPOOL_ACCOUNTS is off');
  }
  const lacks = {
    TIDEPOOL_KAFKA_BROKERS: runsAlone(options.app) && config.kafka === null,
    CLICKHOUSE_URL: readsTables(options.app) && config.clickhouse === null,
  };
  for (const [variable, lacking] of Object.entries(lacks)) {
    const words = `needed when ${options.app} runs as its own process; npm start runs all apps in one process`;
    if (lacking) read.problem(`${variable}: ${words}`);
  }
  if (read.problems.length > 0) throw new ConfigError(read.problems);
  config.secrets = secretsOf(config);
  return config;
}

/** Apps that share the log with others. */
const runsAlone = (app: AppName): boolean => app === 'ingest' || app === 'api' || app === 'router';

/** Those of them that share the tables too. */
const readsTables = (app: AppName): boolean => app === 'ingest' || app === 'api';

/** Apps that read a chain's node; the others only need its name. */
const readsNodes = (app: AppName): boolean => app === 'ingest' || app === 'all-in-one';

function readMetadata(read: EnvReader): Config['metadata'] {
  const ipfsGateway = read.value('TIDEPOOL_IPFS_GATEWAY');
  const arweaveGateway = read.value('TIDEPOOL_ARWEAVE_GATEWAY');
  const on = read.value('TIDEPOOL_METADATA') === 'on';
  return on ? { ipfsGateway, arweaveGateway } : null;
}

const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || /^127\./.test(host);

function readChains(read: EnvReader, options: LoadConfigOptions): ChainConfig[] {
  const bySlug = new Map(options.chains.map((chain) => [chain.slug, chain]));
  const nodes = new Map<string, string[]>();
  const starts = new Map<string, number>();
  const pins = new Map<string, ReadonlyMap<string, string>>();
  const reading = new Map<string, ChainReading>();
  const incomplete = new Set<string>();
  for (const { slug, family } of options.chains) {
    const urls = read.ofChain('TIDEPOOL_RPC_<CHAIN>', slug, family === 'solana' ? solanaUrls : undefined);
    if (urls !== null) nodes.set(slug, urls);
    const start = read.ofChain('TIDEPOOL_START_<CHAIN>', slug);
    if (start !== null) starts.set(slug, start);
    pins.set(slug, read.ofChain('TIDEPOOL_CODE_PINS_<CHAIN>', slug));
    reading.set(slug, {
      way: read.ofChain('TIDEPOOL_HISTORY_<CHAIN>', slug),
      proof: read.ofChain('TIDEPOOL_PROOF_<CHAIN>', slug),
    });
    if (read.ofChain('TIDEPOOL_INCOMPLETE_SLOTS_<CHAIN>', slug) === 'take') incomplete.add(slug);
  }
  const asked = read.value('TIDEPOOL_CHAINS');
  const slugs = asked === null ? [...nodes.keys()] : resolveChains(read, asked, options.chains);
  const local = nodes.size === 0 && readsNodes(options.app);
  if (slugs.length === 0 && asked === null) {
    const usable = options.chains.filter((chain) => chain.served && (!local || chain.local !== false));
    slugs.push(...usable.map((chain) => chain.slug));
  }
  return slugs.map((slug) => {
    const chain = bySlug.get(slug)!;
    const variable = asked === null ? `TIDEPOOL_RPC_${slug.toUpperCase()}` : 'TIDEPOOL_CHAINS';
    if (!chain.served) {
      const served = options.chains.filter((chain) => chain.served).map((chain) => chain.slug);
      read.problem(
        `${variable}: ${slug} is known but cannot be indexed by this version; it indexes ${served.join(', ')}`,
      );
    } else if (!local && !nodes.has(slug) && readsNodes(options.app)) {
      read.problem(
        `TIDEPOOL_RPC_${slug.toUpperCase()}: needed because TIDEPOOL_CHAINS names ${slug} and other nodes are set`,
      );
    } else if (local && chain.local === false) {
      read.problem(`TIDEPOOL_RPC_${slug.toUpperCase()}: needed because no local chain of ${slug} can be run`);
    }
    return {
      ...{ slug, family: chain.family, rpcUrls: nodes.get(slug) ?? [], startHeight: starts.get(slug) ?? null, local },
      codePins: pins.get(slug) ?? new Map(),
      reading: reading.get(slug)!,
      ...(incomplete.has(slug) && { takeIncomplete: true as const }),
    };
  });
}

function resolveChains(read: EnvReader, names: string[], chains: readonly KnownChain[]): string[] {
  const slugs = new Set<string>();
  for (const name of names) {
    const wanted = name.toLowerCase();
    const found = chains.find((c) => c.slug === wanted || c.aliases.includes(wanted) || String(c.networkId) === wanted);
    if (found) slugs.add(found.slug);
    else {
      const valid = chains.map((chain) => chain.slug).join(', ');
      read.problem(`TIDEPOOL_CHAINS: ${JSON.stringify(name)} is not a chain; use ${valid}`);
    }
  }
  return [...slugs];
}

function secretsOf(config: Config): string[] {
  const { chains, clickhouse, relay, redisUrl, accounts } = config;
  const urls = [...chains.flatMap(({ rpcUrls }) => rpcUrls), clickhouse?.url, relay.upstream, redisUrl];
  const keys = [...config.secretTexts, accounts.adminKey, accounts.demoKey];
  const secrets = new Set(keys.filter((key) => key !== null));
  for (const text of urls.filter((each) => each != null)) {
    const url = new URL(text);
    for (const part of [url.username, url.password, ...url.pathname.split('/'), ...url.searchParams.values()]) {
      // Short parts such as `v1` or `rpc` are no secrets, and redacting them would garble ordinary lines.
      const isToken = url.protocol.startsWith('grpc') && part !== '';
      if (part.length >= 12 || isToken || (part !== '' && part === url.password)) secrets.add(part).add(decoded(part));
    }
  }
  return [...secrets];
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // a stray % sign: the part as written is what could leak
  }
}

/** The host part of a URL to a listener: wildcard addresses are reached over loopback. */
export function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return isIP(host) === 6 ? `[${host}]` : host;
}

/** The same for the whole address of a listener. */
export function reachableUrl(url: string): string {
  const { hostname, port } = new URL(url);
  return `http://${reachableHost(hostname.replace(/^\[|\]$/g, ''))}:${port}`;
}
