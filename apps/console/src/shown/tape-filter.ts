import type { TradeBody } from '#libs/serve/contract/rest/trade-body.js';

/** Which trades the tape shows; the names and rules are those of REST's query. */
export interface TapeFilter {
  readonly side: 'buy' | 'sell' | null;
  /** One whose value is not known never passes. */
  readonly minUsd: number | null;
}

export const isOpen = ({ side, minUsd }: TapeFilter): boolean => side === null && minUsd === null;

export const passes =
  ({ side, minUsd }: TapeFilter) =>
  (trade: Pick<TradeBody, 'side' | 'volumeUsd'>): boolean =>
    (side === null || trade.side === side) &&
    (minUsd === null || (trade.volumeUsd !== null && trade.volumeUsd >= minUsd));
