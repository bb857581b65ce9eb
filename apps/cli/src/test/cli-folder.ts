import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OperationDeps } from '#libs/app/operations/operation-deps.js';
import { createOperations } from '#libs/app/operations/operations.js';
import { openEmbeddedLog } from '#libs/pipeline/event-log/embedded/embedded-log.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import type { AnalyticsStore } from '#libs/pipeline/store/store.js';
import { serveAdminSocket } from '#libs/platform/admin-socket.js';
import { openDataFolder } from '#libs/platform/data-folder.js';
import { silentLogger } from '#libs/platform/logger.js';
import { programVersion } from '#libs/platform/program-version.js';
import type { EpochGroup, FinalizeGroup } from '#libs/protocol/blocks.js';
import { encodeBlocksGroup } from '#libs/protocol/codec/blocks-codec.js';
import { blocksTopic, epochsTopic } from '#libs/protocol/topics.js';
import { DataFolderExecutor } from '../executor.js';
import { main } from '../main.js';

/** Data folders of one spec, and the command line on them as the shell would run it. */
export const root = mkdtempSync(join(tmpdir(), 'tidepool-cli-'));
export const removeFolders = (): void => rmSync(root, { recursive: true, force: true });

let count = 0;
export const freshFolder = (): string => join(root, `d${count++}`);
export const topic = blocksTopic('eth', 1);
const noStore = (): Promise<AnalyticsStore> => Promise.reject(new Error('no operation of this spec needs the store'));

export interface Ran {
  code: number;
  out: string;
  err: string;
}

/** One command on a data folder, as the shell would run it. */
export async function tidepool(dataDir: string, ...argv: string[]): Promise<Ran> {
  const out: Buffer[] = [];
  const err: string[] = [];
  const io = {
    stdin: [] as unknown as AsyncIterable<string>,
    stdout: { write: (text: string | Uint8Array) => out.push(Buffer.from(text)) > 0 },
    stderr: { write: (text: string | Uint8Array) => err.push(String(text)) > 0 },
    signal: new AbortController().signal,
  };
  const executor = new DataFolderExecutor(io, { TIDEPOOL_DATA_DIR: dataDir });
  const code = await main(argv, { ...io, executor });
  return { code, out: Buffer.concat(out).toString('utf8'), err: err.join('') };
}

const envelope = (seq: number) => ({
  chain: 'eth',
  epoch: 1,
  seq,
  height: 100 + seq,
  hash: seq.toString(16).padStart(64, '0'),
  parentHash: 'ab'.repeat(32),
  time: 1_700_000_000_000 + seq,
});

function group(seq: number): Uint8Array {
  if (seq > 0) return encodeBlocksGroup({ kind: 'finalize', ...envelope(seq), finalizedHeight: 100 } as FinalizeGroup);
  const epoch: EpochGroup = {
    kind: 'epoch',
    ...envelope(0),
    reference: {
      family: 'evm',
      genesisHash: 'cd'.repeat(32),
      startHeight: 101,
      decoderVersion: 1,
      coin: { token: '11'.repeat(20), symbol: 'ETH', decimals: 18 },
      stables: ['22'.repeat(20)],
      rules: { minQuoteUsd: 10, depegBps: 100, spotFactor: 10, dustCents: 1 },
    },
  };
  return encodeBlocksGroup(epoch);
}

/** A data folder whose log holds the groups 0 … n-1 and one epoch record. */
export async function filledFolder(groups: number): Promise<string> {
  const dir = freshFolder();
  const folder = await openDataFolder({ dir, version: programVersion(), holder: 'spec' });
  const log = await openEmbeddedLog({ dir: folder.path('log') });
  await fill(log, groups);
  await log.close();
  await folder.close();
  return dir;
}

async function fill(log: EventLog, groups: number): Promise<void> {
  await log.ensureTopics([topic, epochsTopic]);
  const writer = await log.openWriter('source.eth.e1');
  for (let seq = 0; seq < groups; seq++) await writer.append([{ topic, seq, value: group(seq) }]);
  await writer.append([{ topic: epochsTopic, key: 'eth', value: Buffer.from('{"epoch":1,"foldVersion":1}') }]);
  await writer.close();
}

/** Does `work` while an instance with these operations runs on the folder. */
export async function whileRunning<T>(
  dir: string,
  deps: Partial<OperationDeps>,
  work: (log: EventLog) => Promise<T>,
): Promise<T> {
  const folder = await openDataFolder({ dir, version: programVersion(), holder: 'npm start' });
  const log = await openEmbeddedLog({ dir: folder.path('log') });
  const operations = createOperations({ log, store: noStore, stateDir: dir, chains: ['eth'], ...deps });
  const socket = await serveAdminSocket({ dataDir: dir, operations, logger: silentLogger });
  try {
    return await work(log);
  } finally {
    await socket.close();
    await log.close();
    await folder.close();
  }
}

export async function append(log: EventLog, seq: number): Promise<void> {
  const writer = await log.openWriter('source.eth.e1');
  await writer.append([{ topic, seq, value: group(seq) }]);
  await writer.close();
}
