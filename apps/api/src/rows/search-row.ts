import type { Hex } from '#libs/core/ids.js';
import type { E18, E36 } from '#libs/core/money.js';
import { marketCap } from '#libs/fold/price-rule.js';
import type { ChainSpec } from '#libs/market-ports/chain-spec.js';
import type { Launchpad, SearchRow, Socials } from '#libs/protocol/rest/search-body.js';
import type { LaunchpadState, TokenOrigin } from '#libs/reader/token-launch.js';
import type { TokenSupply } from '#libs/reader/token-supply.js';
import { priceNumber, volumeNumber } from './display.js';

/** What no projection measures yet is null: image and links. */
const UNKNOWN_SOCIALS: Socials = { twitter: null, telegram: null, website: null, discord: null };

export interface SearchRowState {
  record: { name: string | null; symbol: string | null; decimals: number | null };
  supply: TokenSupply;
  origin: TokenOrigin;
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
    createdAt: state.origin.createdAt,
    creator: state.origin.creator && chain.ids.formatAddress(state.origin.creator),
    priceUsd: priceNumber(state.priceUsd),
    marketCapUsd: volumeNumber(marketCap(state.priceUsd, state.supply.circulating, state.record.decimals)),
    liquidityUsd: volumeNumber(state.liquidityUsd),
    holders: state.supply.holders,
    launchpad: state.origin.launchpad && launchpadOf(chain, state.origin.launchpad),
    socials: UNKNOWN_SOCIALS,
  };
}

const PPM_PER_PERCENT = 10_000;

/** Four decimals. */
export const progressPercent = (progressPpm: number): number => progressPpm / PPM_PER_PERCENT;

function launchpadOf({ ids }: ChainSpec, state: LaunchpadState): Launchpad {
  const { name, progressPpm, graduated, graduatedAt, graduatedPool } = state;
  return {
    ...{ name, progressPercent: progressPercent(progressPpm), graduated, graduatedAt },
    graduatedPool: graduatedPool && ids.formatAddress(graduatedPool),
  };
}
