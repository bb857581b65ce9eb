import { bigintAsText } from '#libs/core/json-bigint.js';
import { decodeFactsGroup, encodeFactsGroup } from '#libs/pipeline/projections/facts-codec.js';
import { decodeBlocksGroup, encodeBlocksGroup } from '#libs/protocol/codec/blocks-codec.js';
import { peekEnvelope } from '#libs/protocol/codec/peek-envelope.js';
import { syntheticBlock, syntheticFacts } from './lib/synthetic-groups.js';
import { printTable } from './lib/table.js';

/**
 * bench/codec: encoding and decoding of groups with the traffic of a busy chain, events a second of CPU time, compared with
 * JSON of the same objects. Run: `node dist/bench/codec.js`.
 */
const BLOCKS = 40;
const SECONDS = 1.5;

/** Items a second of CPU time of this process. */
function rate(itemsEachRound: number, round: () => void): number {
  const until = (seconds: number) => {
    const started = process.cpuUsage();
    let rounds = 0;
    let used = 0;
    while (used < seconds * 1e6) {
      round();
      rounds++;
      const cpu = process.cpuUsage(started);
      used = cpu.user + cpu.system;
    }
    return (rounds * itemsEachRound * 1e6) / used;
  };
  until(SECONDS / 3);
  return until(SECONDS);
}

function measure<Group>(
  name: string,
  groups: readonly Group[],
  items: number,
  encode: (group: Group) => Uint8Array,
  decode: (bytes: Uint8Array) => unknown,
): string[] {
  const encoded = groups.map(encode);
  const bytes = encoded.reduce((sum, each) => sum + each.length, 0);
  const encoding = rate(items, () => groups.forEach((group) => void encode(group)));
  const decoding = rate(items, () => encoded.forEach((each) => void decode(each)));
  return [
    name,
    (bytes / items).toFixed(0),
    Math.round(encoding).toLocaleString(),
    Math.round(decoding).toLocaleString(),
  ];
}

const toJsonBytes = (group: unknown) => Buffer.from(JSON.stringify(group, bigintAsText));
const fromJsonBytes = (bytes: Uint8Array) => JSON.parse(Buffer.from(bytes).toString()) as unknown;

const blocks = Array.from({ length: BLOCKS }, (_, seq) => syntheticBlock(seq));
const facts = blocks.map(syntheticFacts);
const events = blocks.reduce((sum, block) => sum + block.events.length, 0);
const rows = facts.reduce(
  (sum, each) => sum + each.trades.length + each.transfers.length + each.poolStates.length + each.prices.length,
  0,
);
const encodedBlocks = blocks.map(encodeBlocksGroup);

printTable(
  ['group', 'bytes an item', 'encoded/s', 'decoded/s'],
  [
    measure('blocks, events', blocks, events, encodeBlocksGroup, decodeBlocksGroup),
    measure('facts, rows', facts, rows, encodeFactsGroup, decodeFactsGroup),
    measure('blocks as JSON', blocks, events, toJsonBytes, fromJsonBytes),
    measure('facts as JSON', facts, rows, toJsonBytes, fromJsonBytes),
  ],
);
const peeks = rate(BLOCKS, () => encodedBlocks.forEach((bytes) => void peekEnvelope(bytes)));
console.log(`envelopes peeked/s: ${Math.round(peeks).toLocaleString()}`);
