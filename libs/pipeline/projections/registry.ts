// Room: one folder a projection: its section in facts, its tables, its values by key. May import core, protocol,
// pipeline/state.

import { balances } from './balances/projection.js';
import { blocks } from './blocks/projection.js';
import { candles } from './candles/projection.js';
import { firstTrades } from './first-trades/projection.js';
import { funders } from './funders/projection.js';
import { holders } from './holders/projection.js';
import { launches } from './launches/projection.js';
import { linkedTrades } from './linked-trades/projection.js';
import { lpShares } from './lp-shares/projection.js';
import { poolStates } from './pool-states/projection.js';
import { pools } from './pools/projection.js';
import { positions } from './positions/projection.js';
import { prices } from './prices/projection.js';
import type { DerivedTable, Projection } from './projection.js';
import { references } from './references/projection.js';
import type { JournalSpec } from './table.js';
import { tokenRights } from './token-rights/projection.js';
import { tokenShares } from './token-shares/projection.js';
import { tokenStandards } from './token-standards/projection.js';
import { tokens } from './tokens/projection.js';
import { traderTags } from './trader-tags/projection.js';
import { trades } from './trades/projection.js';
import { transfers } from './transfers/projection.js';
import { venueVolumes } from './venue-volumes/projection.js';
import { walletProfits } from './wallet-profits/projection.js';

/** Every projection: one line each. A projection comes after those whose values it needs. */
export const projections: readonly Projection[] = [
  blocks,
  tokens,
  pools,
  poolStates,
  prices,
  references,
  trades,
  transfers,
  candles,
  balances,
  holders,
  launches,
  positions,
  funders,
  linkedTrades,
  walletProfits,
  venueVolumes,
  tokenRights,
  firstTrades,
  traderTags,
  tokenShares,
  lpShares,
  tokenStandards,
];

/** In the order in which a block is folded. */
export const keyedFolds = projections.flatMap(({ keyed }) => keyed ?? []);

export const journals: readonly JournalSpec[] = projections.flatMap((projection) => projection.journals ?? []);

export const derivedTables: readonly DerivedTable[] = projections.flatMap((projection) => projection.derived ?? []);
