import type { Hex } from '#libs/core/ids.js';
import type { TokenTick } from '#libs/serve/contract/live/token.js';
import type { ChainView } from '#libs/serve/reader/chain-view.js';
import { readToken } from '#libs/serve/reader/read-token.js';
import { tokenRow } from './token-row.js';

/** The fields of a token's row that trades move, as the row has them at the same view; null for an unknown token. */
export async function tokenTick(view: ChainView, token: Hex): Promise<Omit<TokenTick, 'trades'> | null> {
  const state = await readToken(view, token);
  if (state === null) return null;
  const row = tokenRow(view, token, state);
  const { priceUsd, priceNative, marketCapUsd, fdvUsd, liquidityUsd, holders, stats, updatedAt } = row;
  const { exitUsd, depthUsd, priceBasis } = row;
  const worth = { exitUsd, depthUsd, priceBasis };
  return { priceUsd, priceNative, marketCapUsd, fdvUsd, liquidityUsd, ...worth, holders, stats, updatedAt };
}
