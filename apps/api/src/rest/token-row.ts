import { venueLabel } from '#libs/chains/chain-spec.js';
import type { Hex } from '#libs/core/ids.js';
import { type E36, formatDecimal } from '#libs/core/money.js';
import type { Safety, Socials, TokenBody, TokenStats, WindowStats } from '#libs/protocol/rest/token-body.js';
import type { ChainView } from '#libs/tail/chain-view.js';
import type { TokenWindow } from '#libs/tail/read-stats.js';
import type { TokenState } from '#libs/tail/read-token.js';
import { priceNumber, symbolOf, volumeNumber } from './display.js';

const MOST_POOLS_SHOWN = 200;

/** What no projection measures yet is null: links, launchpad, holders, shares and rights. */
const UNKNOWN_SOCIALS: Socials = { twitter: null, telegram: null, website: null, discord: null };
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
  const { decimals, totalSupply } = record;
  return {
    chain: chain.slug,
    address: chain.ids.formatAddress(token),
    name: record.name,
    symbol: record.symbol,
    image: null,
    createdAt: null,
    creator: null,
    priceUsd: priceNumber(state.priceUsd),
    marketCapUsd: null,
    liquidityUsd: volumeNumber(state.liquidityUsd),
    holders: null,
    launchpad: null,
    socials: UNKNOWN_SOCIALS,
    decimals,
    supply: totalSupply === null || decimals === null ? null : formatDecimal(totalSupply, decimals),
    circulatingSupply: null,
    fdvUsd: volumeNumber(state.fullyDilutedUsd),
    priceNative: priceNumber(state.priceCoin),
    description: null,
    pools: state.pools.slice(0, MOST_POOLS_SHOWN).map((pool) => ({
      address: chain.ids.formatAddress(pool.pool.pool),
      dex: venueLabel(chain, pool.pool.venue),
      quoteToken: chain.ids.formatAddress(pool.other),
      quoteSymbol: symbolOf(chain, pool.other, pool.otherRecord),
      liquidityUsd: volumeNumber(pool.liquidityUsd),
      createdAt: pool.createdAt,
    })),
    stats: statsOf(state),
    safety: UNKNOWN_SAFETY,
    updatedAt: view.head.time,
  };
}

function statsOf(state: TokenState): TokenStats {
  const window = (counts: TokenWindow): WindowStats => ({
    priceChangePercent: changePercent(counts.priceBefore, state.priceUsd),
    volumeUsd: volumeNumber(counts.volumeUsd)!,
    buys: counts.buys,
    sells: counts.sells,
    buyers: counts.buyers,
    sellers: counts.sellers,
    trades: counts.trades,
  });
  const { stats } = state;
  return {
    '5m': window(stats['5m']),
    '1h': window(stats['1h']),
    '6h': window(stats['6h']),
    '24h': window(stats['24h']),
  };
}

/** In percent with four decimals; null when either price is missing. */
function changePercent(before: E36 | null, now: E36 | null): number | null {
  if (before === null || now === null || before === 0n) return null;
  return Number(((now - before) * 1_000_000n) / before) / 10_000;
}
