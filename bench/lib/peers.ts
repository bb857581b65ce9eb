import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createWriteStream, existsSync } from 'node:fs';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { CpuWatch } from './cpu-time.js';
import { endWithUs } from './no-orphans.js';
import { freePort, type PostgresCluster } from './postgres.js';
import { type IndexTotals, mustEqual, type Recording } from './recording.js';

/**
 * The indexers that the benchmark is measured against, each a project of its own under bench/peers, installed into
 * .cache/bench-peers. A run is over when the peer itself says that the last block is committed; its tables are then
 * compared with the recording.
 */
export interface PeerRun {
  rpcUrl: string;
  recording: Recording;
  postgres: PostgresCluster;
  cpu: CpuWatch;
}

export interface Peer {
  name: string;
  command: string[];
  /** Where the tables are: the database's default schema or one of the peer's own. */
  schema: string;
  /** Resolves when the last block is queryable. */
  finished(child: ChildProcess, port: number, lastBlock: number): Promise<void>;
}

const run = promisify(execFile);
const CACHE = '.cache/bench-peers';

export const peers: readonly Peer[] = [
  {
    name: 'subsquid',
    command: ['processor.js'],
    schema: 'public',
    finished: (child) => exited(child),
  },
  {
    name: 'ponder',
    command: ['node_modules/ponder/dist/esm/bin/ponder.js', 'start', '--schema', 'bench', '--log-level', 'info'],
    schema: 'bench',
    // It takes the last blocks for unfinalized and indexes them one by one, after it has said that it is ready.
    finished: async (child, port, lastBlock) => {
      await untilIndexed(child, `http://127.0.0.1:${port}/status`, lastBlock);
      child.kill('SIGTERM');
      await exited(child).catch(() => undefined);
    },
  },
];

export async function installPeers(): Promise<void> {
  for (const { name } of peers) {
    const source = join('bench/peers', name);
    const target = join(CACHE, name);
    const wanted = await readFile(join(source, 'package.json'), 'utf8');
    const stamp = join(target, '.installed');
    await mkdir(target, { recursive: true });
    await cp(source, target, { recursive: true });
    if (existsSync(stamp) && (await readFile(stamp, 'utf8')) === wanted) continue;
    await rm(join(target, 'package-lock.json'), { force: true });
    await rm(join(target, 'node_modules'), { recursive: true, force: true });
    await run('npm', ['install', '--no-audit', '--no-fund'], { cwd: target, maxBuffer: 64 << 20 });
    await writeFile(stamp, wanted);
  }
}

/** Runs one peer from an empty database to the last block, checks its tables, and says at what wall time it was done. */
export async function runPeer(peer: Peer, options: PeerRun): Promise<number> {
  const { rpcUrl, recording, postgres, cpu } = options;
  const directory = join(CACHE, peer.name);
  const database = `bench_${peer.name}`;
  await postgres.createDatabase(database);
  const manifest = join(process.cwd(), directory, 'manifest.json');
  await writeFile(manifest, JSON.stringify(recording.manifest));
  await rm(join(directory, '.ponder'), { recursive: true, force: true });
  const port = await freePort();
  const log = createWriteStream(join(directory, 'run.log'));
  await new Promise((resolve) => log.once('open', resolve));
  const [script, ...args] = peer.command as [string, ...string[]];
  const child = spawn(
    process.execPath,
    [script, ...args, ...(peer.name === 'ponder' ? ['--port', String(port)] : [])],
    {
      cwd: directory,
      stdio: ['ignore', log, log],
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        PONDER_TELEMETRY_DISABLED: 'true',
        RPC_URL: rpcUrl,
        DATABASE_URL: postgres.url(database),
        DB_URL: postgres.url(database),
        END_BLOCK: String(recording.head),
        MANIFEST: manifest,
      },
    },
  );
  endWithUs(child);
  cpu.add(child.pid!);
  cpu.add(postgres.pid);
  let finishedAt: number;
  try {
    await peer.finished(child, port, recording.head);
    finishedAt = Date.now();
    cpu.stop();
  } finally {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    log.end();
  }
  const totals = await readTotals(postgres, database, peer.schema);
  mustEqual(peer.name, totals.index, recording.totals);
  if (totals.syncs !== recording.syncs) {
    throw new Error(`${peer.name}: ${totals.syncs} syncs, the recording has ${recording.syncs}`);
  }
  return finishedAt;
}

async function readTotals(
  postgres: PostgresCluster,
  database: string,
  schema: string,
): Promise<{ index: IndexTotals; syncs: number }> {
  const one = async (sql: string) => (await postgres.query(database, sql))[0]!;
  const [swaps, swapVolume] = await one(`select count(*), sum(abs(amount0) + abs(amount1)) from ${schema}.swap`);
  const [transfers, transferVolume] = await one(`select count(*), sum(value) from ${schema}.transfer`);
  const [syncs] = await one(`select count(*) from ${schema}.sync`);
  return {
    index: {
      swaps: Number(swaps),
      swapVolume: BigInt(swapVolume!),
      transfers: Number(transfers),
      transferVolume: BigInt(transferVolume!),
    },
    syncs: Number(syncs),
  };
}

function exited(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) =>
      code === 0 ? resolve() : reject(new Error(`the peer ended with ${code ?? signal}; see its run.log`)),
    );
  });
}

async function untilIndexed(child: ChildProcess, url: string, lastBlock: number): Promise<void> {
  const gone = exited(child).then(() => {
    throw new Error('the peer ended before it was ready; see its run.log');
  });
  gone.catch(() => undefined);
  const indexedBlock = async (): Promise<number> => {
    const response = await fetch(url).catch(() => null);
    if (response?.status !== 200) return -1;
    const networks = (await response.json()) as Record<string, { block?: { number: number } }> | null;
    return networks?.replay?.block?.number ?? -1;
  };
  while ((await Promise.race([gone, indexedBlock()])) < lastBlock) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
