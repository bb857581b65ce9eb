import { keccak256Hex } from '../keccak.js';
import { encodeRlp, type RlpItem, rlpBytes, rlpQuantity } from './rlp.js';

/** Fields of a header in the order of its encoding; those behind `nonce` came with forks, each with all before it. */
const FIELDS: readonly (readonly [name: string, item: (prefixed: string) => RlpItem])[] = [
  ['parentHash', rlpBytes],
  ['sha3Uncles', rlpBytes],
  ['miner', rlpBytes],
  ['stateRoot', rlpBytes],
  ['transactionsRoot', rlpBytes],
  ['receiptsRoot', rlpBytes],
  ['logsBloom', rlpBytes],
  ['difficulty', rlpQuantity],
  ['number', rlpQuantity],
  ['gasLimit', rlpQuantity],
  ['gasUsed', rlpQuantity],
  ['timestamp', rlpQuantity],
  ['extraData', rlpBytes],
  ['mixHash', rlpBytes],
  ['nonce', rlpBytes],
  ['baseFeePerGas', rlpQuantity],
  ['withdrawalsRoot', rlpBytes],
  ['blobGasUsed', rlpQuantity],
  ['excessBlobGas', rlpQuantity],
  ['parentBeaconBlockRoot', rlpBytes],
  ['requestsHash', rlpBytes],
];
const NEEDED = 15;

/** What nodes show with a header although its hash does not cover it, or follows from what it covers. */
const BESIDES = ['hash', 'size', 'totalDifficulty', 'transactions', 'uncles', 'withdrawals', 'milliTimestamp'];
const OF_ARBITRUM = ['l1BlockNumber', 'sendCount', 'sendRoot'];
const KNOWN: ReadonlySet<string> = new Set([...FIELDS.map(([name]) => name), ...BESIDES, ...OF_ARBITRUM]);

const HEX = /^0x[0-9a-f]*$/i;

/** The hash that a block's header commits to, 0x-prefixed; null where a field of a later fork, or a missing one, leaves it open. */
export function headerHash(block: Readonly<Record<string, unknown>>): string | null {
  if (Object.keys(block).some((name) => !KNOWN.has(name))) return null;
  const items: RlpItem[] = [];
  for (const [place, [name, item]] of FIELDS.entries()) {
    const value = block[name];
    if (typeof value === 'string' && HEX.test(value)) {
      if (items.length < place) return null;
      items.push(item(value));
    } else if ((value !== undefined && value !== null) || place < NEEDED) return null;
  }
  return `0x${keccak256Hex(encodeRlp(items))}`;
}
