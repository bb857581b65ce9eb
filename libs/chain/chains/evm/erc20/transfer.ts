import type { TransferEvent } from '#libs/protocol/blocks.js';
import type { LogInput } from '../event-decoder.js';
import { addressTopic, hasWords, uintWord, withoutPrefix } from '../words.js';

export const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** ERC-20 Transfer. ERC-721 has the amount as a fourth topic, old tokens have none indexed: neither is one. */
export function decodeTransfer(log: LogInput, tx: number, ordinal: number): TransferEvent | null {
  const { topics, data } = log;
  if (topics.length !== 3 || !hasWords(data, 1)) return null;
  return {
    kind: 'transfer',
    tx,
    ordinal,
    token: withoutPrefix(log.address),
    from: addressTopic(topics[1]!),
    to: addressTopic(topics[2]!),
    amount: uintWord(data, 0),
  };
}
