import { encodeAddress, encodeUint } from '#libs/chain/chains/evm/words.js';
import type { Hex } from '#libs/core/ids.js';

/** One call of a simulation. `from` null: a read, asked by no account in particular. */
export interface Move {
  readonly from: Hex | null;
  readonly to: Hex;
  readonly data: Hex;
}

export interface MoveResult {
  readonly ok: boolean;
  /** What it returned, or reverted with. */
  readonly data: Hex;
}

export const transfer = (token: Hex, from: Hex, to: Hex, amount: bigint): Move => ({
  ...{ from, to: token, data: `a9059cbb${encodeAddress(to)}${encodeUint(amount)}` },
});

export const approval = (token: Hex, from: Hex, spender: Hex): Move => ({
  ...{ from, to: token, data: `095ea7b3${encodeAddress(spender)}${'f'.repeat(64)}` },
});

export const transferFrom = (token: Hex, spender: Hex, from: Hex, to: Hex, amount: bigint): Move => ({
  from: spender,
  to: token,
  data: `23b872dd${encodeAddress(from)}${encodeAddress(to)}${encodeUint(amount)}`,
});

/** A pair takes what it has for what it should have, as after a trade; what is no pair refuses. */
export const settle = (pool: Hex, from: Hex): Move => ({ from, to: pool, data: 'fff6cae9' });

export const balance = (token: Hex, owner: Hex): Move => ({
  ...{ from: null, to: token, data: `70a08231${encodeAddress(owner)}` },
});

export const supply = (token: Hex): Move => ({ from: null, to: token, data: '18160ddd' });

/** A token accepts with true, or by returning nothing at all. */
export const accepted = ({ ok, data }: MoveResult): boolean => ok && (data === '' || wordOf({ ok, data }) !== 0n);

/** The first word of an answer; null where there is none. */
export const wordOf = ({ ok, data }: MoveResult): bigint | null =>
  ok && data.length >= 64 ? BigInt(`0x${data.slice(0, 64)}`) : null;
