import type { SolanaTransaction } from '#libs/chain/chains/solana/transaction.js';
import { EventLayout, emittedEvents } from '#libs/chain/market-ports/solana/event-layout.js';
import {
  instructionTags,
  type PositionPlaces,
  type PositionRules,
  type ToldChange,
} from '#libs/chain/market-ports/solana/positions.js';

const AMOUNTS = 'lb_pair:key from:key position:key amount_x:u64 amount_y:u64 active_bin_id:i32';
const ADDED = new EventLayout('1f5e7d5ae3343dba', AMOUNTS);
const REMOVED = new EventLayout('74f461e8671f983a', AMOUNTS);
/** A position that moves between bins; the vaults move by the difference. */
const REBALANCED = new EventLayout(
  '006d75b33d5bc7c8',
  `lb_pair:key position:key owner:key active_bin_id:i32 x_withdrawn:u64 x_added:u64 y_withdrawn:u64 y_added:u64`,
);
const EVENTS = [ADDED, REMOVED, REBALANCED];

const VAULTS = [5, 6] as const;
const places = (names: string, owner: number): [string, PositionPlaces][] =>
  instructionTags(names).map((tag) => [tag, { pool: 1, owner, vaults: VAULTS }]);

/** Bins are no ranges of ticks: a change says its amounts alone. One-sided additions do not name both vaults and take nothing out. */
export const dlmmPositions: PositionRules = {
  moves: new Map([
    ...places(
      `add_liquidity add_liquidity_by_weight add_liquidity_by_strategy remove_liquidity remove_all_liquidity
       remove_liquidity_by_range`,
      11,
    ),
    ...places(
      `add_liquidity2 add_liquidity_by_weight2 add_liquidity_by_strategy2 remove_liquidity2 remove_liquidity_by_range2
       rebalance_liquidity`,
      9,
    ),
  ]),
  harmless: new Set(
    instructionTags(
      `swap swap2 swap_exact_out swap_exact_out2 swap_with_price_impact swap_with_price_impact2
       add_liquidity_one_side add_liquidity_one_side_precise add_liquidity_one_side_precise2
       add_liquidity_by_strategy_one_side place_limit_order cancel_limit_order close_limit_order_if_empty claim_fee
       claim_fee2 claim_reward claim_reward2 close_bin_array close_claim_fee_operator_account close_operator_account
       close_position close_position2 close_position_if_empty close_preset_parameter close_preset_parameter2
       close_token_badge create_operator_account decrease_position_length fund_reward go_to_a_bin increase_oracle_length
       increase_position_length increase_position_length2 initialize_bin_array initialize_bin_array_bitmap_extension
       initialize_customizable_permissionless_lb_pair initialize_customizable_permissionless_lb_pair2 initialize_lb_pair
       initialize_lb_pair2 initialize_permission_lb_pair initialize_position initialize_position2
       initialize_position_by_operator initialize_position_pda initialize_preset_parameter initialize_reward
       initialize_token_badge set_activation_point set_pair_status set_pair_status_permissionless
       set_permissionless_operation_bits set_pre_activation_duration set_pre_activation_swap_address
       update_base_fee_parameters update_dynamic_fee_parameters update_fees_and_reward2 update_fees_and_rewards
       update_position_operator update_reward_duration update_reward_funder withdraw_ineligible_reward
       withdraw_protocol_fee zap_protocol_fee`,
    ),
  ),
  tokensInOrder: false,
  told,
};

function told(tx: SolanaTransaction, index: number): readonly ToldChange[] | null {
  const events = emittedEvents(tx, index, EVENTS);
  if (events.length === 0) return null;
  const changes: ToldChange[] = [];
  for (const { layout, data } of events) {
    const amounts = (x: string, y: string, sign: bigint): ToldChange => ({
      ...{ tickLower: 0, tickUpper: 0, liquidityDelta: 0n },
      ...{ amountA: sign * (layout.u64(data, x) ?? 0n), amountB: sign * (layout.u64(data, y) ?? 0n) },
    });
    if (layout === REBALANCED) {
      changes.push(amounts('x_withdrawn', 'y_withdrawn', -1n), amounts('x_added', 'y_added', 1n));
    } else changes.push(amounts('amount_x', 'amount_y', layout === ADDED ? 1n : -1n));
  }
  return changes.filter(({ amountA, amountB }) => amountA !== 0n || amountB !== 0n);
}
