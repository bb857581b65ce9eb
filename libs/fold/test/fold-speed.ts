import { ChainFold } from '../chain-fold.js';
import { marketTraffic } from './market-traffic.js';

/**
 * Measures the fold on steady traffic: `node dist/libs/fold/test/fold-speed.js [tokens] [blocks] [events per block]`.
 * Seals every 64 blocks as a stage would. Decoding and encoding are not in the figure. Times are CPU time of the process,
 * so that neighbours on the machine do not count.
 */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

const [tokens = 20_000, blocks = 1_500, eventsPerBlock = 250] = process.argv.slice(2).map(Number);
const groups = marketTraffic(1, { tokens, blocks, eventsPerBlock });
const fold = ChainFold.empty();
let seq = 0;
let events = 0;
let trades = 0;
let spent = 0;
for (const [index, group] of groups.entries()) {
  const started = cpuMs();
  const facts = fold.apply({ ...group, seq: seq++ }, '');
  const sealDue = group.kind === 'block' && group.height % 64 === 0;
  if (sealDue) fold.apply({ ...group, kind: 'finalize', seq: seq++, finalizedHeight: group.height }, '');
  if (index < 2) {
    console.log(
      `${index === 0 ? 'epoch' : `opening block with ${tokens} tokens`}: ${(cpuMs() - started).toFixed(0)} ms`,
    );
    continue;
  }
  spent += cpuMs() - started;
  if (facts.kind === 'block') trades += facts.trades.length;
  if (group.kind === 'block') events += group.events.length;
}
console.log(`${events} events, ${trades} trades, ${blocks} blocks: ${Math.round((events / spent) * 1000)} events/s`);
const started = cpuMs();
const snapshot = fold.snapshot();
const written = cpuMs();
ChainFold.restore(snapshot);
console.log(
  `snapshot ${(snapshot.length / 1e6).toFixed(1)} MB: written in ${(written - started).toFixed(0)} ms, restored in ${(cpuMs() - written).toFixed(0)} ms`,
);
