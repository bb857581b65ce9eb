import type { Hex } from '#libs/core/ids.js';
import { formatDecimal } from '#libs/core/money.js';
import { venueLabel } from '#libs/market-ports/chain-spec.js';
import type { Safety, TokenBody } from '#libs/protocol/rest/token-body.js';
import type { ChainView } from '#libs/reader/chain-view.js';
import type { TokenState } from '#libs/reader/read-token.js';
import { priceNumber, symbolOf, volumeNumber } from '../rows/display.js';
import { searchRow } from '../rows/search-row.js';
import { statsRow } from '../rows/stats-row.js';

const MOST_POOLS_SHOWN = 200;

/** Shares and rights that no projection measures yet. */
const UNKNOWN_SAFETY: Safety = {
  top10Percent: null,
  creatorPercent: null,
  sniperPercent: null,
  bundlerPercent: null,
  insiderPercent: null,
  lpBurntPercent: null,
  mintable: null,
  freezable: null,
  renounced: null,
  buyTaxPercent: null,
  sellTaxPercent: null,
};

export function tokenRow(view: ChainView, token: Hex, state: TokenState): TokenBody {
  const { chain } = view;
  const { record } = state;
  const { decimals } = record;
  // The mint of wrapped SOL counts nothing: wrapped coins are in accounts that no supply adds up.
  const counted = chain.family === 'evm' || token !== chain.wrappedNative.token;
  const whole = (amount: bigint | null): string | null =>
    amount === null || decimals === null ? null : formatDecimal(amount, decimals);
  const { supply } = state;
  return {
    ...searchRow(chain, token, state),
    decimals,
    supply: counted ? whole(supply.total) : null,
    circulatingSupply: whole(supply.circulating),
    fdvUsd: counted ? volumeNumber(state.fullyDilutedUsd) : null,
    priceNative: priceNumber(state.priceCoin),
    description: null,
    pools: state.pools.slice(0, MOST_POOLS_SHOWN).map((pool) => ({
      address: chain.ids.formatAddress(pool.pool.pool),
      dex: venueLabel(chain, pool.pool.venue),
      quoteToken: chain.ids.formatAddress(pool.other),
      quoteSymbol: symbolOf(chain, pool.other, pool.otherRecord),
      liquidityUsd: volumeNumber(pool.liquidityUsd),
      createdAt: pool.createdAt,
      setApart: pool.setApart,
    })),
    stats: statsRow(state.stats, state.priceUsd),
    safety: UNKNOWN_SAFETY,
    updatedAt: view.head.time,
  };
}
