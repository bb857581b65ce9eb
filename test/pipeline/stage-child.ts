import { writeSync } from 'node:fs';
import { ProjectStage } from '#apps/ingest/src/project/project-stage.js';
import { createSourceStage } from '#apps/ingest/src/source/source-stage.js';
import { eth } from '#libs/chain/catalogue/test/chain-specs.js';
import type { Steps } from '#libs/core/steps.js';
import { commitThread } from '#libs/devkit/testing/commit-thread.js';
import { openEmbeddedLog } from '#libs/pipeline/event-log/embedded/embedded-log.js';
import { openKafkaLog } from '#libs/pipeline/event-log/kafka/kafka-log.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { foldHomeIn } from '#libs/pipeline/fold/fold-home.js';
import { foldVersion } from '#libs/pipeline/fold/fold-version.js';
import { SinkStage } from '#libs/pipeline/sink/sink-stage.js';
import { storeTables } from '#libs/pipeline/sink/sink-tables.js';
import { openChdbStore } from '#libs/pipeline/store/chdb-store.js';
import { marketDatabase } from '#libs/pipeline/store/market/market-tables.js';
import type { AnalyticsStore } from '#libs/pipeline/store/store.js';
import type { Stage } from '#libs/platform/stage.js';

/**
 * One stage in its own process, made to be killed. It ends itself with SIGKILL at the given step boundary, or only reports
 * that it got there and continues until its parent kills it. It reports the end of its input, and stops in good order when
 * standard input closes. Its argument is a StageOrder as JSON.
 */
export interface StageOrder {
  stage: 'source' | 'project' | 'sink';
  log: { dir: string } | { brokers: string[] };
  chain: string;
  epoch: number;
  /** Known sets of the source, state of the fold, tables of the sink. */
  dir: string;
  crash: CrashPoint | null;
  /** Most groups in one batch, so that a history takes many appends and checkpoints. */
  batch: number;
  /** Seq at which fold and sink are done. */
  lastSeq: number;
  rpcUrl: string;
  /** How long retracted rows stay. */
  purgeAfterMs: number;
}

export interface CrashPoint {
  step: string;
  /** How many times the step is passed before. */
  passes: number;
  /** 'here': end at the boundary. 'soon': say so and continue. 'torn': this insert reaches no copy, end behind the inserts. */
  how: 'here' | 'soon' | 'torn';
}

const order = JSON.parse(process.argv[2]!) as StageOrder;
/** Synchronous: a line that was written is seen even when the process dies in the next instruction. */
const say = (line: string): void => void writeSync(1, `${line}\n`);
const die = (): never => {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('still alive');
};

const stop = new AbortController();
process.stdin.resume().once('close', () => stop.abort());

const log = withBatches(
  'dir' in order.log
    ? await openEmbeddedLog({ dir: order.log.dir })
    : await openKafkaLog({ brokers: order.log.brokers, clientId: `kill-${order.stage}` }),
);
let store = null as AnalyticsStore | null;
let passes = 0;
let torn = false;

const steps: Steps = async (name) => {
  // Another table may be filled at the same time: the batch's inserts come to their end.
  if (torn && !name.startsWith('sink.before-insert.')) die();
  const { crash } = order;
  if (name !== crash?.step || passes++ !== crash.passes) return;
  say(`at ${name}`);
  if (crash.how === 'here') die();
  if (crash.how !== 'torn') return;
  // The copy's view is back after a restart: until then this is what a kill between base and copy leaves.
  await store!.command(`DETACH TABLE ${marketDatabase(order.chain, 1)}.trades_by_quote_copy`);
  torn = true;
};

try {
  await run();
} catch (error) {
  say(`failed ${error instanceof Error ? error.stack?.replaceAll('\n', ' | ') : String(error)}`);
  process.exitCode = 1;
} finally {
  await store?.close();
  await log.close();
}
process.exit();

async function run(): Promise<void> {
  const { chain, epoch, dir } = order;
  say('started');
  if (order.stage === 'source') return source().run(stop.signal);
  if (order.stage === 'project') {
    const home = foldHomeIn(dir, { chain, epoch, foldVersion }, { commitThread });
    const poolCopies = { everyBlocks: 3, pauseMs: 0, chunkRecords: 2 };
    const stage = new ProjectStage({
      ...{ log, chain, epoch, foldVersion, home, steps, commits: { everyBlocks: 7 }, poolCopies },
    });
    await untilDone(stage, () => stage.status().detail.factsSeq as number);
    return;
  }
  store = await openChdbStore({ dir });
  const tables = storeTables(store, chain).generation(1);
  const stage = new SinkStage({
    ...{ log, tables, chain, epoch, foldVersion, generation: 1, steps, minIntervalMs: 0 },
    ...{ maxGroups: order.batch, sealEveryMs: 600_000, purgeAfterMs: order.purgeAfterMs },
  });
  await untilDone(stage, () => stage.status().seq ?? -1);
}

/** Runs a stage and says when it holds the last group, in the log or the tables and not only in memory. */
async function untilDone(stage: Stage, durable: () => number): Promise<void> {
  const watch = setInterval(() => {
    if (durable() < order.lastSeq || stage.status().seq !== order.lastSeq) return;
    clearInterval(watch);
    say('done');
  }, 5);
  await stage.run(stop.signal).finally(() => clearInterval(watch));
}

function source() {
  return createSourceStage({
    ...{ log, steps, foldVersion, chain: { ...eth, slug: order.chain }, rpcUrls: [order.rpcUrl], startHeight: 0 },
    ...{ dataDir: order.dir, retryMs: 5, maxRetryMs: 50, maxAppendBytes: 30_000 },
    options: {
      rpc: { timeoutMs: 5_000, coolDownMs: 20, maxCoolDownMs: 200 },
      watch: { pollMs: 10, streamPollMs: 200, staleMs: 2_000 },
      history: { firstRange: 20, sampleEvery: 16 },
    },
  });
}

/** The same log, read in batches of at most `order.batch` groups. */
function withBatches(inner: EventLog): EventLog {
  return new Proxy(inner, {
    get(target, property) {
      if (property === 'readGroups') {
        const readGroups: EventLog['readGroups'] = (topic, options) =>
          target.readGroups(topic, { ...options, maxGroups: Math.min(order.batch, options.maxGroups ?? order.batch) });
        return readGroups;
      }
      const value = Reflect.get(target, property);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
