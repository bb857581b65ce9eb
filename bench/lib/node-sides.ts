import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { RecordedChain } from '#libs/devkit/chain-replay/recorded-chain.js';
import { YOUNG_SPACE } from './as-started.js';
import type { CountingProxy } from './counting-proxy.js';
import { CpuWatch } from './cpu-time.js';
import { endWithUs, temporaryFolder } from './no-orphans.js';
import { type Peer, runPeer } from './peers.js';
import type { PostgresCluster } from './postgres.js';
import { folderUse, processTree } from './process-tree.js';
import { mustEqual, type Recording } from './recording.js';
import type { IndexedRecording, TotalsLine } from './tidepool-indexer.js';

export interface SideOptions {
  readonly chain: RecordedChain;
  readonly recording: Recording;
  readonly proxy: CountingProxy;
  /** The last block of the history. */
  readonly historyEnd: number;
  readonly blockTimeMs: number;
}

/** An indexer at work on the chain. */
export interface RunningSide {
  /** The history is queryable. */
  readonly history: Promise<void>;
  /** So is the last block, and the tables hold what was served. */
  readonly finished: Promise<SideUse | null>;
}

/** What it took on this machine; null where that is not looked at. */
export interface SideUse {
  readonly diskBytes: number;
  readonly mostMemory: number;
}

const LOOK_MS = 500;
const DATA_THREADS = '16';

export function runTidepoolSide(options: SideOptions, sockets: boolean): RunningSide {
  const { chain, recording, proxy, historyEnd, blockTimeMs } = options;
  const dir = temporaryFolder('tidepool-bench-nodes-');
  const servedFile = join(dir, 'served.json');
  const served: IndexedRecording = {
    ...{ url: proxy.url, head: recording.head, venues: chain.venues, multicall3: chain.multicall3 },
    tokens: chain.tokens.map(({ address, symbol, decimals }) => ({ address, symbol, decimals })),
    ...{ blockTimeMs, marks: [historyEnd], ...(sockets ? { socketUrl: proxy.socketUrl } : {}) },
  };
  writeFileSync(servedFile, JSON.stringify(served));
  const script = fileURLToPath(new URL('./tidepool-indexer.js', import.meta.url));
  const child = spawn(
    process.execPath,
    ['--max-old-space-size=4096', YOUNG_SPACE, script, servedFile, join(dir, 'data')],
    { stdio: ['ignore', 'pipe', 'ignore'], env: { ...process.env, UV_THREADPOOL_SIZE: DATA_THREADS } },
  );
  endWithUs(child);
  let mostMemory = 0;
  const looking = setInterval(() => {
    const now = processTree(child.pid!).reduce((sum, { pssBytes }) => sum + pssBytes, 0);
    mostMemory = Math.max(mostMemory, now);
  }, LOOK_MS);
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  let reached: () => void = () => undefined;
  const history = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const finish = async (): Promise<SideUse> => {
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      if (lines.push(line) === 1) reached();
    }
    clearInterval(looking);
    const code = await exited;
    if (code !== 0 || lines.length < 3) throw new Error(`the indexer ended with ${code}`);
    const totals = JSON.parse(lines[2]!) as TotalsLine;
    const found = {
      ...{ swaps: Number(totals.swaps), swapVolume: BigInt(totals.swapVolume) },
      ...{ transfers: Number(totals.transfers), transferVolume: BigInt(totals.transferVolume) },
    };
    mustEqual('tidepool', found, recording.totals);
    return { diskBytes: folderUse(join(dir, 'data')).bytes, mostMemory };
  };
  const finished = finish();
  return { history: Promise.race([history, finished.then(() => undefined)]), finished };
}

export function runPeerSide(peer: Peer, postgres: PostgresCluster, options: SideOptions): RunningSide {
  const { recording, proxy, historyEnd } = options;
  const cpu = new CpuWatch();
  const run = runPeer(peer, { rpcUrl: proxy.url, recording, postgres, cpu });
  const finished = run.then(() => null).finally(() => cpu.stop());
  return { history: Promise.race([untilIn(peer, postgres, historyEnd), finished.then(() => undefined)]), finished };
}

/** Every block of the recording has transfers. */
async function untilIn(peer: Peer, postgres: PostgresCluster, height: number): Promise<void> {
  const newest = async (): Promise<number> => {
    const sql = `select coalesce(max(block), -1) from ${peer.schema}.transfer`;
    // Before the peer has made its table there is none.
    const rows = await postgres.query(`bench_${peer.name}`, sql).catch(() => []);
    return Number(rows[0]?.[0] ?? -1);
  };
  while ((await newest()) < height) await delay(LOOK_MS);
}
