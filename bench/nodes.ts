import { setTimeout as delay } from 'node:timers/promises';
import { startFaultRpc } from '#libs/devkit/chain-faults/fault-rpc.js';
import { RecordedChain } from '#libs/devkit/chain-replay/recorded-chain.js';
import { between, CountingProxy, callsOf, type Traffic } from './lib/counting-proxy.js';
import { type RunningSide, runPeerSide, runTidepoolSide, type SideOptions, type SideUse } from './lib/node-sides.js';
import { benchOptions } from './lib/options.js';
import { installPeers, peers } from './lib/peers.js';
import { startPostgres } from './lib/postgres.js';
import { eventCount, surveyRecording } from './lib/recording.js';
import { printTable } from './lib/table.js';

/**
 * bench/nodes: what an indexer asks of a node, by Tidepool, Subsquid and Ponder over the same data: requests, calls and bytes for a
 * million blocks of history, and for a block at the head. A counting proxy is before the node, which first serves the history
 * alone; when that is queryable, blocks come one after the other. At the end the tables must hold what was served.
 *
 * Run: `node dist/bench/nodes.js [--loops 3] [--head-blocks 60] [--block-ms 2000] [--only tidepool,subsquid,ponder]`
 */
const values = benchOptions('nodes', {
  ...{ loops: '3', 'head-blocks': '60', 'block-ms': '2000' },
  only: 'tidepool,tidepool-http,subsquid,ponder',
});
const loops = Number(values.loops);
const headBlocks = Number(values['head-blocks']);
const blockTimeMs = Number(values['block-ms']);
const wanted = values.only.split(',');

interface Result {
  name: string;
  history: Traffic;
  head: Traffic;
  use: SideUse | null;
}

const recording = surveyRecording(loops);
const historyEnd = recording.head - headBlocks;
const results: Result[] = [];
if (wanted.includes('tidepool')) {
  results.push(await measure('tidepool, heads over a socket', (options) => runTidepoolSide(options, true)));
}
if (wanted.includes('tidepool-http')) {
  results.push(await measure('tidepool, over HTTP alone', (options) => runTidepoolSide(options, false)));
}
const chosen = peers.filter(({ name }) => wanted.includes(name));
if (chosen.length > 0) {
  await installPeers();
  const postgres = await startPostgres();
  try {
    for (const peer of chosen) {
      results.push(await measure(peer.name, (options) => runPeerSide(peer, postgres, options)));
    }
  } finally {
    await postgres.stop();
  }
}
report();

async function measure(name: string, start: (options: SideOptions) => RunningSide): Promise<Result> {
  const chain = new RecordedChain({ loops });
  const rpc = await startFaultRpc({ chain });
  rpc.setHead(historyEnd);
  const proxy = await CountingProxy.before(rpc.url);
  try {
    console.error(`${name}: ${(historyEnd + 1).toLocaleString()} blocks of history`);
    const side = start({ chain, recording, proxy, historyEnd, blockTimeMs });
    await side.history;
    const history = proxy.traffic();
    console.error(`${name}: ${headBlocks} blocks at the head`);
    for (let height = historyEnd + 1; height <= recording.head; height++) {
      rpc.setHead(height);
      await Promise.race([delay(blockTimeMs), side.finished]);
    }
    const use = await side.finished;
    return { name, history, head: between(history, proxy.traffic()), use };
  } finally {
    await proxy.close();
    await rpc.close();
  }
}

function report(): void {
  const million = 1_000_000 / (historyEnd + 1);
  const whole = (value: number): string => Math.round(value).toLocaleString();
  const rows = results.map(({ name, history, head }) => [
    ...[name, whole(history.requests * million), whole(callsOf(history) * million)],
    (history.bytes * million * 1e-9).toFixed(1),
    ...[head.requests, callsOf(head)].map((count) => (count / headBlocks).toFixed(1)),
    (head.bytes / headBlocks / 1000).toFixed(1),
  ]);
  printTable(
    ['indexer', 'a million blocks: requests', 'calls', 'GB', 'a block at the head: requests', 'calls', 'kB'],
    rows,
  );
  const logs = (recording.logs / (recording.head + 1)).toFixed(0);
  console.log(`
History from ${whole(historyEnd + 1)} blocks with ${logs} logs each, extrapolated; head from ${headBlocks} blocks, one every ${blockTimeMs} ms.
Calls of a list are counted one by one; bytes are those of answers, which this node does not compress.`);
  for (const { name, history, head } of results) {
    console.log(`${name}: history ${methods(history)}; head ${methods(head)}`);
  }
  for (const { name, use } of results) {
    if (use === null) continue;
    const disk = (use.diskBytes / eventCount(recording)).toFixed(0);
    console.log(`${name}: ${disk} bytes on disk an event, at most ${whole(use.mostMemory / 1e6)} MB of memory`);
  }
}

function methods({ calls }: Traffic): string {
  return Object.entries(calls)
    .sort(([, a], [, b]) => b - a)
    .map(([method, count]) => `${method} ${count}`)
    .join(', ');
}
