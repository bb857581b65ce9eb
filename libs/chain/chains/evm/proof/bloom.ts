import { GenerationCache } from '#libs/core/generation-cache.js';
import { keccak256 } from '../keccak.js';

/** What goes into a bloom: a log's address and topics, 0x-prefixed. */
interface BloomLog {
  readonly address: string;
  readonly topics: readonly string[];
}

/** The three bits of an address or a topic. */
class NameBits {
  /** Number of the bloom that has them already. */
  lastBloom = 0;

  constructor(
    readonly a: number,
    readonly b: number,
    readonly c: number,
  ) {}
}

/** Addresses and topics repeat from block to block. */
const bits = new GenerationCache<string, NameBits>(20_000, (prefixed) => {
  const hash = keccak256(Buffer.from(prefixed.slice(2), 'hex'));
  const bit = (at: number): number => ((hash[at]! << 8) | hash[at + 1]!) & 2047;
  return new NameBits(bit(0), bit(2), bit(4));
});

/** Logs as a list, or as whatever shows their addresses and topics one by one, in any order. */
type BloomLogs = Iterable<BloomLog> | { eachName(take: (prefixed: string) => void): void };

const eachName = (logs: BloomLogs, take: (prefixed: string) => void): void => {
  if ('eachName' in logs) {
    logs.eachName(take);
    return;
  }
  for (const { address, topics } of logs) {
    take(address);
    for (const topic of topics) take(topic);
  }
};

let blooms = 0;

/** The 2048-bit bloom of exactly these logs, 0x-prefixed. */
export function logsBloom(logs: BloomLogs): string {
  const bloom = Buffer.alloc(256);
  const own = ++blooms;
  const set = (bit: number): void => {
    bloom[255 - (bit >> 3)]! |= 1 << (bit & 7);
  };
  eachName(logs, (prefixed) => {
    const name = bits.get(prefixed);
    if (name.lastBloom === own) return;
    name.lastBloom = own;
    set(name.a);
    set(name.b);
    set(name.c);
  });
  return `0x${bloom.toString('hex')}`;
}

/** True when the bloom has room for all of these logs: a filtered answer can be checked for inventions, not for gaps. */
export function bloomCovers(bloom: string, logs: BloomLogs): boolean {
  const bytes = Buffer.from(bloom.slice(2), 'hex');
  if (bytes.length !== 256) return false;
  const has = (bit: number): boolean => (bytes[255 - (bit >> 3)]! & (1 << (bit & 7))) !== 0;
  let covers = true;
  eachName(logs, (prefixed) => {
    const { a, b, c } = bits.get(prefixed);
    covers &&= has(a) && has(b) && has(c);
  });
  return covers;
}
