import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { Hex } from '#libs/core/ids.js';
import { toDisplayNumber } from '#libs/core/money.js';
import type { TokenRecord } from '#libs/protocol/blocks.js';
import type { Meta } from '#libs/serve/contract/rest/meta.js';
import { type ChainView, finalizedOf } from '#libs/serve/reader/chain-view.js';

/** Scaled integers as the numbers that answers show, and the parts that every answer has. */
export const priceNumber = (value: bigint | null): number | null =>
  value === null ? null : toDisplayNumber(value, 36);
export const volumeNumber = (value: bigint | null): number | null =>
  value === null ? null : toDisplayNumber(value, 18);

export function metaOf(view: ChainView): Meta {
  const { height, hash, proof } = view.head;
  const blockHash = view.chain.ids.formatBlockHash(hash);
  return { block: height, blockHash, finalized: finalizedOf(view), proof };
}

/** Symbol to show for a token: the coin's plain symbol for its wrapped form. */
export function symbolOf(chain: ChainSpec, token: Hex, record: TokenRecord | null | undefined): string | null {
  return token === chain.wrappedNative.token ? chain.nativeCurrency.symbol : (record?.symbol ?? null);
}
