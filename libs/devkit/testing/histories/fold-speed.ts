import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ChainFold } from '#libs/pipeline/fold/chain-fold.js';
import { FOLD_CACHE_ENTRIES, foldSpaces } from '#libs/pipeline/fold/fold-spaces.js';
import { openLmdbState } from '#libs/pipeline/state/lmdb/lmdb-store.js';
import type { BlocksGroup } from '#libs/protocol/blocks.js';
import { removeFolderSync } from '../remove-folder.js';
import { marketTraffic } from './market-traffic.js';

/**
 * Measures the fold on steady traffic: `node dist/libs/devkit/testing/histories/fold-speed.js [tokens] [blocks] [events per block]`.
 * Seals every 64 blocks and commits every 1,000 as a stage would. Decoding and encoding are not in the figure. Times are CPU time of the process,
 * so that neighbours on the machine do not count; the garbage collector does.
 */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

const BATCH = 50;
const BATCHES_A_COMMIT = 20;
const [tokens = 20_000, blocks = 1_500, eventsPerBlock = 250] = process.argv.slice(2).map(Number);
const dir = mkdtempSync(join(tmpdir(), 'tidepool-fold-speed-'));
const fold = ChainFold.over(await openLmdbState(foldSpaces, { dir, cacheEntries: FOLD_CACHE_ENTRIES }));
let seq = 0;
let events = 0;
let trades = 0;
let spent = 0;
let measured = 0;

function apply(group: BlocksGroup): void {
  const facts = fold.apply({ ...group, seq: seq++ }, '');
  if (facts.kind === 'block') trades += facts.trades.length;
  if (group.kind !== 'block' || group.height % 64 !== 0) return;
  fold.apply({ ...group, kind: 'finalize', seq: seq++, finalizedHeight: group.height }, '');
}

async function measure(batch: BlocksGroup[]): Promise<void> {
  const started = cpuMs();
  for (const group of batch) apply(group);
  if (++measured % BATCHES_A_COMMIT === 0) await fold.state.commit();
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
  await measure(batch);
  batch = [];
}
await measure(batch);
console.log(
  `${events} events, ${trades} trades, ${blocks} blocks: ${Math.round((events / spent) * 1000)} events/s of CPU time`,
);

const started = cpuMs();
await fold.state.commit();
console.log(`last commit of ${fold.state.committed?.seq} groups: ${(cpuMs() - started).toFixed(0)} ms of CPU time`);
await fold.state.close();
removeFolderSync(dir);
