import 'reflect-metadata';
import { setTimeout as delay } from 'node:timers/promises';
import { oneKey } from '#libs/devkit/testing/local-accounts.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import type { BlocksGroup } from '#libs/protocol/blocks.js';
import { sharedNow } from './fan-out.js';
import { type Appended, BARE, type FromMixServer, type ToMixServer } from './head-mix.js';
import { headTopics, openHeadProgram } from './head-program.js';
import { mixTraffic } from './mix-traffic.js';
import { temporaryFolder } from './no-orphans.js';
import { RecordedWrites } from './recorded-writes.js';

/**
 * The server of the mix: everything from the log to the sockets in one process. Notes when the append of each block began, and that
 * of its facts. Then it writes as many bytes to the same sockets again, without what made them.
 */
const [history, ahead, trades, tokenCount] = process.argv.slice(2).map(Number) as [number, number, number, number];
const KEY = 'bench';
const PER_APPEND = 100;
/** A swap comes with two transfers and, from half of the pools, the reserves. */
const EVENTS_A_TRADE = 3.6;

const traffic = mixTraffic(1, {
  ...{ tokens: tokenCount, blocks: history + ahead, eventsPerBlock: trades * EVENTS_A_TRADE, hot: 0.1, wallets: 1_000 },
  startTime: Date.now() - history * 2_000,
});
const groups = [...traffic.groups];
const { reference } = groups[0] as Extract<BlocksGroup, { kind: 'epoch' }>;
const program = await openHeadProgram({ dir: temporaryFolder('tidepool-bench-mix-'), reference });
const factsAt = new Map<number, number>();
const writes = new RecordedWrites();
noteFacts(program.log);
for (let from = 0; from <= history; from += PER_APPEND) {
  await program.append(groups.slice(from, Math.min(from + PER_APPEND, history + 1)));
}
program.startIngest();
const live = { maxConnections: 100_000, keepAliveMs: 3_600_000 };
const api = await program.serve({ accounts: oneKey(KEY).accounts, live });

const tell = (message: FromMixServer): void => void process.send!(message);
let next = history + 1;

process.on('message', (message: ToMixServer) => {
  if (message.kind === 'go') void go(message);
  else if (message.kind === 'bare') void bare(message.everyMs);
  else {
    globalThis.gc?.();
    const { heapUsed: heap, rss } = process.memoryUsage();
    tell({ kind: 'memory', heap, rss, ...api.liveStatus() });
  }
});
const ids = (of: readonly string[]): string[] => of.map((id) => `0x${id}`);
const subjects = { tokens: ids(traffic.tokens), wallets: ids(traffic.wallets) };
tell({ kind: 'listening', port: Number(new URL(api.url).port), key: KEY, subjects });

async function go({ blocks, everyMs, record }: Extract<ToMixServer, { kind: 'go' }>): Promise<void> {
  if (record) writes.start();
  await paced(blocks, everyMs, async () => {
    const group = groups[next++]!;
    const at = sharedNow();
    await program.append([group]);
    return [group.seq, at, () => factsAt.get(group.seq)!];
  });
}

/** What was written for each block, again. */
async function bare(everyMs: number): Promise<void> {
  writes.stop();
  let part = 0;
  await paced(writes.count, everyMs, async () => {
    const at = sharedNow();
    writes.repeat(part, JSON.stringify({ type: 'bare', id: '1', channel: BARE, epoch: '', seq: part }));
    return [part++, at, () => at];
  });
}

type Began = readonly [seq: number, blocksAt: number, factsAt: () => number];

async function paced(count: number, everyMs: number, step: () => Promise<Began>): Promise<void> {
  const began: Began[] = [];
  const cpu = process.cpuUsage();
  const started = performance.now();
  for (let n = 0; n < count; n++) {
    await delay(Math.max(0, started + n * everyMs - performance.now()));
    began.push(await step());
  }
  await delay(everyMs);
  const { user, system } = process.cpuUsage(cpu);
  const appended = began.map(([seq, at, facts]): Appended => [seq, at, facts()]);
  tell({ kind: 'done', appended, seconds: (performance.now() - started) / 1000, cpuSeconds: (user + system) / 1e6 });
}

/** When the append of each group of facts began. */
function noteFacts(of: EventLog): void {
  const open = of.openWriter.bind(of);
  of.openWriter = async (id) => {
    const made = await open(id);
    const append = made.append.bind(made);
    made.append = (all) => {
      const at = sharedNow();
      for (const entry of all)
        if (entry.topic.name === headTopics.facts.name && 'seq' in entry) {
          factsAt.set(entry.seq, at);
          writes.nextPart();
        }
      return append(all);
    };
    return made;
  };
}
