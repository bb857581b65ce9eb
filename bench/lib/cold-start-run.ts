import { join } from 'node:path';
import { LiveProject } from '#apps/ingest/src/project/live-project.js';
import { LiveSink } from '#apps/ingest/src/sink/live-sink.js';
import { Publisher } from '#apps/ingest/src/source/publisher.js';
import { eth } from '#libs/chain/catalogue/test/chain-specs.js';
import { noSteps } from '#libs/core/steps.js';
import { openEmbeddedLog } from '#libs/pipeline/event-log/embedded/embedded-log.js';
import { foldVersion } from '#libs/pipeline/fold/fold-version.js';
import { storeTables } from '#libs/pipeline/sink/sink-tables.js';
import { openChdbStore } from '#libs/pipeline/store/chdb-store.js';
import { createChainReader } from '#libs/serve/reader/chain-reader.js';
import { readTrades } from '#libs/serve/reader/read-trades.js';
import { storeSource } from '#libs/serve/reader/store-source.js';
import { countedLog, type RecordRead } from './counted-log.js';
import { BLOCKS, CHAIN, EPOCH, FACTS, stateOf, tailFileOf } from './long-log.js';

/**
 * One start of the stages on a folder that holds a long log: the source's writer, the fold, the sink and a reader, each
 * over a log of its own view that notes what it reads. Ends when the fold has compared up to the end of `facts`, the
 * sink is at the end and the reader has answered with trades.
 */
export interface ColdStart {
  stateSeq: number;
  lastSeq: number;
  /** Seqs read, by who read them; ascending in time. */
  reads: Record<'source' | 'project' | 'sink' | 'reader', RecordRead[]>;
  /** Milliseconds on the caller's clock, which starts with `now`. */
  at: { opened: number; source: number; project: number; sink: number; reader: number };
  answeredTrades: number;
}

export async function coldStart(dir: string, now: () => number): Promise<ColdStart> {
  const home = stateOf(dir);
  const stateSeq = (await home.kept()).committed?.seq;
  if (stateSeq === undefined) throw new Error(`${dir} holds no state: build a longer log`);
  const inner = await openEmbeddedLog({ dir: join(dir, 'log') });
  const store = await openChdbStore({ dir: join(dir, 'store') });
  const at = { opened: now(), source: 0, project: 0, sink: 0, reader: 0 };
  const logs = {
    source: countedLog(inner),
    project: countedLog(inner),
    sink: countedLog(inner),
    reader: countedLog(inner),
  };
  const stop = new AbortController();
  const tasks: Promise<void>[] = [];
  try {
    const lastSeq = (await inner.lastGroup(BLOCKS))!.seq;
    const lastFacts = (await inner.lastGroup(FACTS))!.seq;
    if (lastFacts !== lastSeq) throw new Error(`facts end at ${lastFacts}, blocks at ${lastSeq}`);
    const project = new LiveProject({ log: logs.project.log, chain: CHAIN, foldVersion, place: () => ({ home }) });
    const sink = new LiveSink({ log: logs.sink.log, tables: storeTables(store, CHAIN), chain: CHAIN });
    const reader = createChainReader({
      ...{ chain: eth, log: logs.reader.log, source: storeSource(store, CHAIN), pollMs: 20 },
    });
    let failure: unknown = null;
    const start = (run: Promise<void>): void => {
      tasks.push(
        run.catch((error: unknown) => {
          failure ??= error;
        }),
      );
    };
    for (const stage of [project, sink, reader]) start(stage.run(stop.signal));
    const publisher = await Publisher.open(
      {
        ...{ log: logs.source.log, chain: eth, steps: noSteps, observer: {}, maxAppendBytes: 1 << 20 },
        tailFile: tailFileOf(dir),
      },
      EPOCH,
    );
    if (publisher?.seq !== lastSeq) throw new Error(`the source would go on after seq ${publisher?.seq}`);
    await publisher.close();
    at.source = now();
    let answeredTrades = 0;
    while (at.project === 0 || at.sink === 0 || at.reader === 0) {
      if (failure !== null) throw failure;
      if (at.project === 0 && project.status().seq === lastSeq) at.project = now();
      if (at.sink === 0 && sink.status().seq === lastSeq) at.sink = now();
      if (at.reader === 0 && reader.status().ready) {
        const token = publisher.reference.coin.token;
        answeredTrades = (await readTrades(reader.view(), { token, limit: 50 })).trades.length;
        at.reader = now();
      }
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    const reads = {
      source: logs.source.reads,
      project: logs.project.reads,
      sink: logs.sink.reads,
      reader: logs.reader.reads,
    };
    return { stateSeq, lastSeq, reads, at, answeredTrades };
  } finally {
    stop.abort();
    await Promise.all(tasks);
    await store.close();
    await inner.close();
  }
}

/** What was read although the committed state accounts for it: nothing, by invariant 7. */
export function readsBelow({ reads, stateSeq }: ColdStart): RecordRead[] {
  return Object.values(reads)
    .flat()
    .filter(({ seq }) => seq < stateSeq);
}

/**
 * How far back from the end the source read: to the newest seal, whatever the length of the log. Where the place of the
 * seal was not kept it also reads the group that opens the epoch, which is left out here.
 */
export function sourceReach({ reads, lastSeq }: ColdStart): number {
  return lastSeq - Math.min(...reads.source.map(({ seq }) => seq).filter((seq) => seq !== 0));
}
