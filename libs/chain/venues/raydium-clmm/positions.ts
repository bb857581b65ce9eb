import { loggedData } from '#libs/chain/chains/solana/logged-data.js';
import type { SolanaTransaction } from '#libs/chain/chains/solana/transaction.js';
import { EventLayout } from '#libs/chain/market-ports/solana/event-layout.js';
import {
  instructionTags,
  type PositionPlaces,
  type PositionRules,
  type ToldChange,
} from '#libs/chain/market-ports/solana/positions.js';

/** Logged while a position changes: its range, then what it gained or lost, in either order. */
const CHANGED = new EventLayout(
  '7ef0afce9e58996b',
  'pool_state:key tick:i32 tick_lower:i32 tick_upper:i32 liquidity_before:u128 liquidity_after:u128',
);
const INCREASED = new EventLayout('314f69d420221e54', 'nft_mint:key liquidity:u128 amount_0:u64 amount_1:u64');
const DECREASED = new EventLayout('3ade563a44325538', 'nft_mint:key liquidity:u128 amount_0:u64 amount_1:u64');
const OPENED = new EventLayout(
  '641e57f9c4df9ace',
  `pool_state:key minter:key nft_owner:key tick_lower:i32 tick_upper:i32 liquidity:u128 amount_0:u64 amount_1:u64`,
);

const places = (names: string, at: PositionPlaces): [string, PositionPlaces][] =>
  instructionTags(names).map((tag) => [tag, at]);

export const clmmPositions: PositionRules = {
  moves: new Map([
    ...places('open_position open_position_v2', { pool: 5, owner: 1, vaults: [12, 13] }),
    ...places('open_position_with_token22_nft', { pool: 4, owner: 1, vaults: [11, 12] }),
    ...places('increase_liquidity increase_liquidity_v2', { pool: 2, owner: 0, vaults: [9, 10] }),
    ...places('decrease_liquidity decrease_liquidity_v2', { pool: 3, owner: 0, vaults: [5, 6] }),
  ]),
  harmless: new Set(
    instructionTags(
      `swap swap_v2 swap_router_base_in close_position create_pool create_customizable_pool create_permissioned_pool
       create_amm_config update_amm_config create_dynamic_fee_config update_dynamic_fee_config create_operation_account
       update_operation_account create_support_mint_associated update_pool_status transfer_reward_owner initialize_reward
       collect_remaining_rewards update_reward_infos set_reward_params collect_protocol_fee collect_fund_fee
       open_limit_order increase_limit_order decrease_limit_order settle_limit_order close_limit_order
       close_protocol_position close_tick_array collect_excess_lamports`,
    ),
  ),
  tokensInOrder: true,
  told,
};

function told(tx: SolanaTransaction, index: number): readonly ToldChange[] | null {
  const logged = loggedData(tx, index);
  const read = (layout: EventLayout) => logged.map((data) => layout.read(data)).find((event) => event !== null);
  const opened = read(OPENED);
  if (opened !== undefined) return changeOf(opened, opened, 1n);
  const range = read(CHANGED);
  const [increased, decreased] = [read(INCREASED), read(DECREASED)];
  // Nothing was added or taken; fees may have been.
  if ((increased ?? decreased)?.liquidity === 0n) return [];
  if (range === undefined) return null;
  if (increased !== undefined) return changeOf(range, increased, 1n);
  return decreased === undefined ? null : changeOf(range, decreased, -1n);
}

type Values = NonNullable<ReturnType<EventLayout['read']>>;

function changeOf(range: Values, amounts: Values, sign: bigint): readonly ToldChange[] | null {
  const { tick_lower: tickLower, tick_upper: tickUpper } = range;
  const { liquidity, amount_0: amount0, amount_1: amount1 } = amounts;
  if (typeof tickLower !== 'number' || typeof tickUpper !== 'number') return null;
  if (typeof liquidity !== 'bigint' || typeof amount0 !== 'bigint' || typeof amount1 !== 'bigint') return null;
  if (liquidity === 0n) return [];
  return [{ tickLower, tickUpper, liquidityDelta: sign * liquidity, amountA: sign * amount0, amountB: sign * amount1 }];
}
