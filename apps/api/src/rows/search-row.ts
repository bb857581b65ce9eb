import type { Hex } from '#libs/core/ids.js';
import type { E18, E36 } from '#libs/core/money.js';
import { marketCap } from '#libs/fold/price-rule.js';
import type { ChainSpec } from '#libs/market-ports/chain-spec.js';
import type { SearchRow, Socials } from '#libs/protocol/rest/search-body.js';
import type { TokenSupply } from '#libs/reader/token-supply.js';
import { priceNumber, volumeNumber } from './display.js';

/** What no projection measures yet is null: image, creation, launchpad and links. */
const UNKNOWN_SOCIALS: Socials = { twitter: null, telegram: null, website: null, discord: null };

export interface SearchRowState {
  record: { name: string | null; symbol: string | null; decimals: number | null };
  supply: TokenSupply;
  priceUsd: E36 | null;
  liquidityUsd: E18 | null;
}

/** Summary of a token, the same in every list and in the token's own answer. */
export function searchRow(chain: ChainSpec, token: Hex, state: SearchRowState): SearchRow {
  return {
    chain: chain.slug,
    address: chain.ids.formatAddress(token),
    name: state.record.name,
    symbol: state.record.symbol,
    image: null,
    createdAt: null,
    creator: null,
    priceUsd: priceNumber(state.priceUsd),
    marketCapUsd: volumeNumber(marketCap(state.priceUsd, state.supply.circulating, state.record.decimals)),
    liquidityUsd: volumeNumber(state.liquidityUsd),
    holders: state.supply.holders,
    launchpad: null,
    socials: UNKNOWN_SOCIALS,
  };
}
