import type { Hex } from '#libs/core/ids.js';

/** A call of a contract; ids and data have no prefix. */
export interface ContractCall {
  readonly to: Hex;
  readonly data: Hex;
  readonly value: bigint;
}
