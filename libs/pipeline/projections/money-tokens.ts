import type { Hex } from '#libs/core/ids.js';
import type { ReferenceSet } from '#libs/protocol/blocks.js';

export type IsMoney = (token: Hex) => boolean;

/** What is paid with: the coin and the stables. */
export function moneyOf({ coin, stables }: ReferenceSet): IsMoney {
  const money = new Set([coin.token, ...stables]);
  return (token) => money.has(token);
}
