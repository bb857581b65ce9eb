import { decodeTransfer, TRANSFER_TOPIC } from '#libs/chain/chains/evm/erc20/transfer.js';
import {
  DEPOSIT_TOPIC,
  decodeDeposit,
  decodeWithdrawal,
  WITHDRAWAL_TOPIC,
} from '#libs/chain/chains/evm/erc20/wrapped-coin.js';
import type { EventDecoder, LogInput } from '#libs/chain/chains/evm/event-decoder.js';
import { ZERO_ADDRESS } from '#libs/chain/chains/evm/words.js';
import type { Hex } from '#libs/core/ids.js';
import type { TransferEvent } from '#libs/protocol/blocks.js';

export const WRAP_TOPICS = [DEPOSIT_TOPIC, WITHDRAWAL_TOPIC] as const;

interface LastMove {
  readonly event: TransferEvent;
  readonly isTransfer: boolean;
}

/**
 * Movements of the wrapped coin. Some contracts state wrapping by Deposit and Withdrawal alone, others by a Transfer from or to
 * the zero address next to it: of two such logs of one transaction that say the same and follow each other, with no other movement of the
 * coin between them, the second one says nothing new. Invariant: what is wrapped or unwrapped counts once, whatever the
 * contract.
 */
export class CoinWraps {
  private readonly address: string;
  private last: LastMove | null = null;

  /** @param coin The wrapped coin's contract; no other one's deposits are movements. */
  constructor(coin: Hex) {
    this.address = `0x${coin}`;
  }

  isOf(log: LogInput): boolean {
    return log.address === this.address;
  }

  /** The movement that a log of the wrapped coin states; null where it states none, or the one before again. */
  readonly decode: EventDecoder = (log, tx, ordinal) => {
    const topic = log.topics[0];
    const isTransfer = topic === TRANSFER_TOPIC;
    const read = isTransfer ? decodeTransfer : topic === DEPOSIT_TOPIC ? decodeDeposit : decodeWithdrawal;
    const event = read(log, tx, ordinal);
    if (event === null) return null;
    const { last } = this;
    if (last !== null && last.isTransfer !== isTransfer && isSame(last.event, event)) {
      this.last = null;
      return null;
    }
    const wraps = event.from === ZERO_ADDRESS || event.to === ZERO_ADDRESS;
    this.last = wraps ? { event, isTransfer } : null;
    return event;
  };
}

const isSame = (a: TransferEvent, b: TransferEvent): boolean =>
  a.tx === b.tx && a.from === b.from && a.to === b.to && a.amount === b.amount;
