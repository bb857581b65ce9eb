import { type ChainSpec, venueLabel } from '#libs/chain/market-ports/chain-spec.js';
import { formatDecimal } from '#libs/core/money.js';
import type { PoolBody, PoolToken } from '#libs/serve/contract/rest/pool-body.js';
import type { ChainView } from '#libs/serve/reader/chain-view.js';
import type { PoolSideState, PoolView } from '#libs/serve/reader/read-pool.js';
import { priceNumber, symbolOf, volumeNumber } from '../rows/display.js';
import { statsRow } from '../rows/stats-row.js';
import { worthRow } from '../rows/worth-row.js';

export function poolRow({ chain, head }: ChainView, state: PoolView): PoolBody {
  const { pool } = state;
  return {
    chain: chain.slug,
    address: chain.ids.formatAddress(pool.pool),
    dex: venueLabel(chain, pool.venue),
    kind: pool.kind,
    baseToken: side(chain, state.base),
    quoteToken: side(chain, state.quote),
    feePercent: pool.feePpm === 0 ? null : pool.feePpm / 10_000,
    tickSpacing: pool.tickSpacing === 0 ? null : pool.tickSpacing,
    price: priceNumber(state.spot),
    priceUsd: priceNumber(state.spotUsd),
    priceNative: priceNumber(state.spotCoin),
    setsPrice: state.setsPrice,
    liquidityUsd: volumeNumber(state.liquidityUsd),
    ...worthRow(state.worth),
    createdAt: state.createdAt,
    setApart: state.setApart,
    stats: statsRow(state.stats, state.spotUsd),
    updatedAt: head.time,
  };
}

function side(chain: ChainSpec, { token, record, reserve, priceUsd }: PoolSideState): PoolToken {
  const decimals = record?.decimals ?? null;
  return {
    address: chain.ids.formatAddress(token),
    name: record?.name ?? null,
    symbol: symbolOf(chain, token, record),
    decimals,
    reserve: reserve === null || decimals === null ? null : formatDecimal(reserve, decimals),
    priceUsd: priceNumber(priceUsd),
  };
}
