import { type ChainSpec, venueLabel } from '#libs/chain/market-ports/chain-spec.js';
import type { Hex } from '#libs/core/ids.js';
import { formatDecimal } from '#libs/core/money.js';
import { backedCap } from '#libs/pipeline/fold/token-values.js';
import { FLAG_FINDINGS, type FlagFinding, TAX_FINDINGS } from '#libs/protocol/token-safety.js';
import type { Safety, TokenBody, TokenPool } from '#libs/serve/contract/rest/token-body.js';
import type { ChainView } from '#libs/serve/reader/chain-view.js';
import type { TokenPoolState, TokenState } from '#libs/serve/reader/read-token.js';
import type { TokenSafety } from '#libs/serve/reader/token-safety.js';
import { isCounted } from '../rows/counted-supply.js';
import { priceNumber, symbolOf, volumeNumber } from '../rows/display.js';
import { searchRow } from '../rows/search-row.js';
import { statsRow } from '../rows/stats-row.js';

export const MOST_POOLS_SHOWN = 200;

export function tokenRow(view: ChainView, token: Hex, state: TokenState): TokenBody {
  const { chain } = view;
  const { record } = state;
  const { decimals } = record;
  const counted = isCounted(chain, token);
  const whole = (amount: bigint | null): string | null =>
    amount === null || decimals === null ? null : formatDecimal(amount, decimals);
  const { supply } = state;
  return {
    ...searchRow(view, token, state),
    decimals,
    supply: counted ? whole(supply.total) : null,
    circulatingSupply: whole(supply.circulating),
    fdvUsd: counted ? volumeNumber(backedCap(state.fullyDilutedUsd, state.worth)) : null,
    priceNative: priceNumber(state.priceCoin),
    description: view.about.of(token).description,
    pools: state.pools.slice(0, MOST_POOLS_SHOWN).map((pool) => poolRow(chain, pool)),
    stats: statsRow(state.stats, state.priceUsd),
    safety: safetyRow(chain, state.safety),
    updatedAt: view.head.time,
  };
}

function safetyRow({ ids }: ChainSpec, { found, ...known }: TokenSafety): Safety {
  const shown = (name: FlagFinding): boolean | null => found?.findings[name].value ?? null;
  return {
    ...known,
    ...{ buyable: shown('buyable'), sellable: shown('sellable'), transferable: shown('transferable') },
    ...{ pausable: shown('pausable'), blacklist: shown('blacklist'), taxChangeable: shown('taxChangeable') },
    proxy: shown('proxy'),
    owner: found?.owner == null ? null : ids.formatAddress(found.owner),
    checked:
      found === null
        ? null
        : {
            ...{ block: found.height, hash: `0x${found.hash}`, time: found.time },
            pool: found.pool && ids.formatAddress(found.pool),
            findings: [...FLAG_FINDINGS, ...TAX_FINDINGS].map((name) => {
              const { basis, detail } = found.findings[name];
              return { finding: name, basis, detail };
            }),
          },
  };
}

/** A pool as every answer about its token shows it. */
export function poolRow(chain: ChainSpec, { pool, other, otherRecord, ...state }: TokenPoolState): TokenPool {
  return {
    address: chain.ids.formatAddress(pool.pool),
    dex: venueLabel(chain, pool.venue),
    quoteToken: chain.ids.formatAddress(other),
    quoteSymbol: symbolOf(chain, other, otherRecord),
    liquidityUsd: volumeNumber(state.liquidityUsd),
    createdAt: state.createdAt,
    setApart: state.setApart,
  };
}
