import { GenerationCache } from '#libs/core/generation-cache.js';
import { keccak256 } from '../keccak.js';

/** What goes into a bloom: a log's address and topics, 0x-prefixed. */
interface BloomLog {
  readonly address: string;
  readonly topics: readonly string[];
}

type Bits = readonly [number, number, number];

/** Addresses and topics repeat from block to block. */
const bits = new GenerationCache<string, Bits>(20_000, (prefixed) => {
  const hash = keccak256(Buffer.from(prefixed.slice(2), 'hex'));
  const bit = (at: number): number => ((hash[at]! << 8) | hash[at + 1]!) & 2047;
  return [bit(0), bit(2), bit(4)];
});

/** Logs as a list, or as whatever shows them one by one. */
type BloomLogs = Iterable<BloomLog> | { each(take: (log: BloomLog) => void): void };

const eachOf = (logs: BloomLogs, take: (log: BloomLog) => void): void => {
  if ('each' in logs) logs.each(take);
  else for (const log of logs) take(log);
};

/** The 2048-bit bloom of exactly these logs, 0x-prefixed. */
export function logsBloom(logs: BloomLogs): string {
  const bloom = Buffer.alloc(256);
  const add = (prefixed: string): void => {
    for (const bit of bits.get(prefixed)) bloom[255 - (bit >> 3)]! |= 1 << (bit & 7);
  };
  eachOf(logs, (log) => {
    add(log.address);
    for (const topic of log.topics) add(topic);
  });
  return `0x${bloom.toString('hex')}`;
}

/** True when the bloom has room for all of these logs: a filtered answer can be checked for inventions, not for gaps. */
export function bloomCovers(bloom: string, logs: BloomLogs): boolean {
  const bytes = Buffer.from(bloom.slice(2), 'hex');
  if (bytes.length !== 256) return false;
  const has = (prefixed: string): boolean =>
    bits.get(prefixed).every((bit) => (bytes[255 - (bit >> 3)]! & (1 << (bit & 7))) !== 0);
  let covers = true;
  eachOf(logs, (log) => {
    covers &&= has(log.address) && log.topics.every(has);
  });
  return covers;
}
