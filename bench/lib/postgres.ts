import { execFile, execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { endWithUs } from './no-orphans.js';

/**
 * A PostgreSQL cluster of its own for the peers: Debian's binaries, a temporary directory, a free port on the loopback,
 * default durability. PostgreSQL refuses to run as root, so root starts it as the user `postgres`.
 */
export interface PostgresCluster {
  version: string;
  /** The postmaster, parent of all its processes. */
  pid: number;
  url(database: string): string;
  createDatabase(database: string): Promise<void>;
  /** Rows of a query as text columns. */
  query(database: string, sql: string): Promise<string[][]>;
  stop(): Promise<void>;
}

const run = promisify(execFile);
const ROOT = '/usr/lib/postgresql';
const SETTINGS = { shared_buffers: '512MB', max_wal_size: '4GB', unix_socket_directories: '' };

export async function startPostgres(): Promise<PostgresCluster> {
  const bin = join(ROOT, newestVersion(), 'bin');
  const owner = process.getuid?.() === 0 ? { uid: numericId('-u'), gid: numericId('-g') } : {};
  const dir = mkdtempSync(join(tmpdir(), 'tidepool-bench-postgres-'));
  if (owner.uid !== undefined) chownSync(dir, owner.uid, owner.gid);
  const data = join(dir, 'data');
  await run(join(bin, 'initdb'), ['-D', data, '-U', 'postgres', '--auth=trust', '-E', 'UTF8', '--locale=C'], {
    ...owner,
    cwd: dir,
  });
  const port = await freePort();
  const settings = Object.entries({ ...SETTINGS, listen_addresses: '127.0.0.1', port });
  const server = spawn(
    join(bin, 'postgres'),
    ['-D', data, ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    { ...owner, cwd: dir, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  endWithUs(server, 'SIGQUIT');
  let log = '';
  server.stderr.setEncoding('utf8').on('data', (text: string) => {
    log = (log + text).slice(-4000);
  });
  const exited = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  const url = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`;
  const query = async (database: string, sql: string): Promise<string[][]> => {
    const { stdout } = await run(join(bin, 'psql'), [
      '-X',
      '-At',
      '-v',
      'ON_ERROR_STOP=1',
      '-d',
      url(database),
      '-c',
      sql,
    ]);
    return stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.split('|'));
  };
  const stop = async (): Promise<void> => {
    if (server.exitCode === null && server.signalCode === null) server.kill('SIGINT');
    await exited;
    rmSync(dir, { recursive: true, force: true });
  };
  try {
    await untilReady(
      () => query('postgres', 'select 1'),
      () => server.exitCode !== null,
    );
  } catch (error) {
    await stop();
    throw new Error(`PostgreSQL did not start: ${log}`, { cause: error });
  }
  const [[version]] = (await query('postgres', 'show server_version')) as [[string]];
  return {
    version,
    pid: server.pid!,
    url,
    createDatabase: async (database) => void (await query('postgres', `create database ${database}`)),
    query,
    stop,
  };
}

function newestVersion(): string {
  const versions = existsSync(ROOT)
    ? readdirSync(ROOT).filter((name) => existsSync(join(ROOT, name, 'bin/postgres')))
    : [];
  const newest = versions.sort((a, b) => Number(b) - Number(a))[0];
  if (newest === undefined) throw new Error(`no PostgreSQL under ${ROOT}: apt-get install postgresql`);
  return newest;
}

function numericId(option: '-u' | '-g'): number {
  return Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }));
}

export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

async function untilReady(probe: () => Promise<unknown>, gone: () => boolean): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      await probe();
      return;
    } catch (error) {
      if (attempt === 200 || gone()) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
