import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { Hex } from '#libs/core/ids.js';
import type { E18, E36 } from '#libs/core/money.js';
import { marketCap } from '#libs/pipeline/fold/price-rule.js';
import { backedCap, type TokenWorth } from '#libs/pipeline/fold/token-values.js';
import type { SafetySummary } from '#libs/protocol/token-safety.js';
import type { Launchpad, SearchRow, Socials } from '#libs/serve/contract/rest/search-body.js';
import type { ChainView } from '#libs/serve/reader/chain-view.js';
import type { TokenAbout } from '#libs/serve/reader/token-about.js';
import type { LaunchpadState, TokenOrigin } from '#libs/serve/reader/token-launch.js';
import type { TokenSupply } from '#libs/serve/reader/token-supply.js';
import { priceNumber, volumeNumber } from './display.js';
import { worthRow } from './worth-row.js';

export interface SearchRowState {
  record: { name: string | null; symbol: string | null; decimals: number | null };
  supply: TokenSupply;
  origin: TokenOrigin;
  priceUsd: E36 | null;
  liquidityUsd: E18 | null;
  worth: TokenWorth;
}

/** Summary of a token, the same in every list and in the token's own answer. */
export function searchRow({ chain, about }: ChainView, token: Hex, state: SearchRowState): SearchRow {
  const said = about.of(token);
  return {
    chain: chain.slug,
    address: chain.ids.formatAddress(token),
    name: state.record.name,
    symbol: state.record.symbol,
    image: said.image,
    createdAt: state.origin.createdAt,
    creator: state.origin.creator && chain.ids.formatAddress(state.origin.creator),
    priceUsd: priceNumber(state.priceUsd),
    marketCapUsd: volumeNumber(
      backedCap(marketCap(state.priceUsd, state.supply.circulating, state.record.decimals), state.worth),
    ),
    liquidityUsd: volumeNumber(state.liquidityUsd),
    ...worthRow(state.worth),
    holders: state.supply.holders,
    launchpad: state.origin.launchpad && launchpadOf(chain, state.origin.launchpad),
    socials: socialsOf(said),
    risks: risksShown(about.risksOf(token)),
  };
}

const risksShown = (summary: SafetySummary | null): SearchRow['risks'] => summary && [...summary.risks];

const socialsOf = ({ twitter, telegram, website, discord }: TokenAbout): Socials => ({
  ...{ twitter, telegram, website, discord },
});

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
