import { ChainFold } from '#libs/fold/chain-fold.js';
import type { BlocksGroup } from '#libs/protocol/blocks.js';
import { marketTraffic } from './market-traffic.js';

/**
 * Measures the fold on steady traffic: `node dist/libs/testing/histories/fold-speed.js [tokens] [blocks] [events per block]`.
 * Seals every 64 blocks as a stage would. Decoding and encoding are not in the figure. Times are CPU time of the process,
 * so that neighbours on the machine do not count; the garbage collector does.
 */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

const BATCH = 50;
const [tokens = 20_000, blocks = 1_500, eventsPerBlock = 250] = process.argv.slice(2).map(Number);
const fold = ChainFold.empty();
let seq = 0;
let events = 0;
let trades = 0;
let spent = 0;

function apply(group: BlocksGroup): void {
  const facts = fold.apply({ ...group, seq: seq++ }, '');
  if (facts.kind === 'block') trades += facts.trades.length;
  if (group.kind !== 'block' || group.height % 64 !== 0) return;
  fold.apply({ ...group, kind: 'finalize', seq: seq++, finalizedHeight: group.height }, '');
}

function measure(batch: BlocksGroup[]): void {
  const started = cpuMs();
  for (const group of batch) apply(group);
  spent += cpuMs() - started;
  for (const group of batch) events += group.kind === 'block' ? group.events.length : 0;
}

let batch: BlocksGroup[] = [];
let opened = 0;
for (const group of marketTraffic(1, { tokens, blocks, eventsPerBlock })) {
  if (opened < 2) {
    const started = cpuMs();
    apply(group);
    opened++;
    if (opened === 2) console.log(`opening block with ${tokens} tokens: ${(cpuMs() - started).toFixed(0)} ms`);
    continue;
  }
  batch.push(group);
  if (batch.length < BATCH) continue;
  measure(batch);
  batch = [];
}
measure(batch);
console.log(
  `${events} events, ${trades} trades, ${blocks} blocks: ${Math.round((events / spent) * 1000)} events/s of CPU time`,
);

const started = cpuMs();
const snapshot = fold.snapshot();
const written = cpuMs();
ChainFold.restore(snapshot);
const restored = cpuMs();
console.log(
  `snapshot ${(snapshot.length / 1e6).toFixed(1)} MB: written in ${(written - started).toFixed(0)} ms, restored in ${(restored - written).toFixed(0)} ms`,
);
