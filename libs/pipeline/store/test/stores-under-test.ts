import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reportSkipped } from '#libs/devkit/testing/requirements.js';
import { openChdbStore } from '../chdb-store.js';
import { openClickHouseStore } from '../clickhouse-store.js';
import type { AnalyticsStore } from '../store.js';
import { type ClickHouseEndpoint, startClickHouseEndpoint } from './clickhouse-endpoint.js';

/** A store and where it lives, so that a suite can open it again after a crash. */
export interface StoreUnderTest {
  store: AnalyticsStore;
  /** Opens the same data again; the store before must be closed. */
  reopen(): Promise<AnalyticsStore>;
  /** What another process needs to open the same data. Null where it must not, or need not be killed. */
  crash: CrashTarget | null;
  cleanUp(): Promise<void>;
}

type CrashTarget =
  /** The writer's own process holds the data. */
  | { kind: 'chdb'; dir: string }
  /** A server holds the data; `kill` ends it, `restart` starts it again on a new port. */
  | { kind: 'clickhouse'; url(): string; kill(): Promise<void>; restart(): Promise<void> };

export interface StoreKind {
  name: string;
  open(): Promise<StoreUnderTest>;
}

const chdb: StoreKind = {
  name: 'chDB in process',
  async open() {
    const dir = await mkdtemp(join(tmpdir(), 'tidepool-chdb-'));
    let store = await openChdbStore({ dir });
    return {
      store,
      reopen: async () => {
        store = await openChdbStore({ dir });
        return store;
      },
      crash: { kind: 'chdb', dir },
      cleanUp: async () => {
        await store.close();
        await rm(dir, { recursive: true, force: true });
      },
    };
  },
};

const endpoint: StoreKind = {
  name: '@clickhouse/client over HTTP',
  async open() {
    const dir = await mkdtemp(join(tmpdir(), 'tidepool-clickhouse-'));
    const login = { user: 'tidepool', password: `p:ä/${randomBytes(4).toString('hex')}` };
    let server: ClickHouseEndpoint = await startClickHouseEndpoint({ dir, ...login });
    const connect = () => openClickHouseStore({ url: server.url, username: login.user, password: login.password });
    let store = await connect();
    return {
      store,
      reopen: async () => {
        store = await connect();
        return store;
      },
      crash: {
        kind: 'clickhouse',
        url: () => {
          const url = new URL(server.url);
          url.username = login.user;
          url.password = login.password;
          return url.href;
        },
        kill: () => server.kill(),
        restart: async () => {
          server = await startClickHouseEndpoint({ dir, ...login });
        },
      },
      cleanUp: async () => {
        await store.close();
        await server.close();
        await rm(dir, { recursive: true, force: true });
      },
    };
  },
};

const url = process.env.CLICKHOUSE_URL;

const server: StoreKind = {
  name: 'the ClickHouse server of CLICKHOUSE_URL',
  async open() {
    let store = await openClickHouseStore({ url: url! });
    return {
      store,
      reopen: async () => {
        store = await openClickHouseStore({ url: url! });
        return store;
      },
      crash: null,
      cleanUp: () => store.close(),
    };
  },
};

/** Every store that a suite runs against on this machine. */
export function storesUnderTest(): StoreKind[] {
  if (url) return [chdb, endpoint, server];
  reportSkipped('store suites against a real ClickHouse server', 'CLICKHOUSE_URL names none');
  return [chdb, endpoint];
}
