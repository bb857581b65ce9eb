import type { TransferEvent } from '#libs/protocol/blocks.js';
import type { LogInput } from '../event-decoder.js';
import { addressTopic, hasWords, uintWord, withoutPrefix, ZERO_ADDRESS } from '../words.js';

/** Deposit(address indexed dst, uint256 wad) of a wrapped coin. */
export const DEPOSIT_TOPIC = '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c';
/** Withdrawal(address indexed src, uint256 wad) of a wrapped coin. */
export const WITHDRAWAL_TOPIC = '0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65';

/** Wrapping is a transfer from the zero address to the account. */
export const decodeDeposit = (log: LogInput, tx: number, ordinal: number): TransferEvent | null =>
  decode(log, tx, ordinal, true);

/** Unwrapping is a transfer from the account to the zero address. */
export const decodeWithdrawal = (log: LogInput, tx: number, ordinal: number): TransferEvent | null =>
  decode(log, tx, ordinal, false);

function decode(
  { address, topics, data }: LogInput,
  tx: number,
  ordinal: number,
  wraps: boolean,
): TransferEvent | null {
  if (topics.length !== 2 || !hasWords(data, 1)) return null;
  const account = addressTopic(topics[1]!);
  return {
    ...{ kind: 'transfer', tx, ordinal, token: withoutPrefix(address) },
    ...(wraps ? { from: ZERO_ADDRESS, to: account } : { from: account, to: ZERO_ADDRESS }),
    amount: uintWord(data, 0),
  };
}
