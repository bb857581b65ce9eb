import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createIngestChain } from '#apps/ingest/src/create-ingest.js';
import { openEmbeddedLog } from '#libs/pipeline/event-log/embedded/embedded-log.js';
import { openChdbStore } from '#libs/pipeline/store/chdb-store.js';
import { marketDatabase } from '#libs/pipeline/store/market/market-tables.js';
import type { ChainReading } from '#libs/platform/config.js';
import { createLogger } from '#libs/platform/logger.js';
import { recordedSpec } from './recorded-spec.js';
import type { IndexTotals } from './recording.js';
import type { ServedRecording } from './replay-server.js';

/**
 * Tidepool as one process: source, project and sink over the embedded log and chDB, from an empty directory up to the
 * recording's last block. Prints one line of JSON when that block is in the tables' checkpoint, and one for each mark before
 * it, then one with what a query of the tables finds. Arguments: a file with the indexed recording, a data directory.
 */
export interface IndexedLine {
  finishedAt: number;
}

export interface IndexedRecording extends ServedRecording {
  /** Where heads are announced. */
  socketUrl?: string;
  /** Of the chain that serves it; Ethereum's without it. */
  blockTimeMs?: number;
  /** How history is asked for; as nodes have it without it. */
  way?: ChainReading['way'];
  /** Heights below the last one for which a line is printed as well, ascending. */
  marks?: readonly number[];
}

export type TotalsLine = Record<keyof IndexTotals, string>;

const [servedFile, dataDir] = process.argv.slice(2) as [string, string];
const served = JSON.parse(readFileSync(servedFile, 'utf8')) as IndexedRecording;
const chain = recordedSpec(served, served.blockTimeMs);
const log = await openEmbeddedLog({ dir: join(dataDir, 'log') });
const store = await openChdbStore({ dir: join(dataDir, 'store') });
const stop = new AbortController();

const ingest = createIngestChain({
  log,
  store,
  chain,
  rpcUrls: [served.url, ...(served.socketUrl === undefined ? [] : [served.socketUrl])],
  startHeight: 0,
  ...(served.way === undefined ? {} : { reading: { proof: 'sampled', way: served.way } }),
  dataDir,
  keyedTopics: false,
  sourceThread: { kind: 'embedded', dir: join(dataDir, 'log') },
  logger: createLogger({ level: 'warn', format: 'json' }),
});
const running = ingest.stages.map((stage) => stage.run(stop.signal));
const failed = Promise.race(running.map((run) => run.then(() => new Promise<never>(() => undefined))));

const telling = setInterval(() => {
  const { source, project, sink } = ingest.status();
  process.stderr.write(`source ${source.state} ${source.head}, project ${project.height}, sink ${sink.height}\n`);
}, 5_000);
for (const height of [...(served.marks ?? []), served.head]) {
  await Promise.race([failed, untilIndexed(height)]);
  print({ finishedAt: Date.now() } satisfies IndexedLine);
}
clearInterval(telling);
print(await readTotals());
stop.abort();
await Promise.all(running);
await store.close();
await log.close();

async function untilIndexed(height: number): Promise<void> {
  while ((ingest.status().sink.height ?? -1) < height) await new Promise((resolve) => setTimeout(resolve, 5));
}

async function readTotals(): Promise<TotalsLine> {
  const database = marketDatabase(chain.slug, 1);
  const [trades] = await store.query<{ rows: string; volume: string }>(
    `SELECT count() AS rows, sum(base_amount) + sum(quote_amount) AS volume FROM ${database}.trades`,
    {},
    { maxSeconds: 300 },
  );
  const [transfers] = await store.query<{ rows: string; volume: string }>(
    `SELECT count() AS rows, sum(amount) AS volume FROM ${database}.transfers`,
    {},
    { maxSeconds: 300 },
  );
  return {
    swaps: trades!.rows,
    swapVolume: trades!.volume,
    transfers: transfers!.rows,
    transferVolume: transfers!.volume,
  };
}

function print(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
