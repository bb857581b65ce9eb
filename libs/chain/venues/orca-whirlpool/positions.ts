import { loggedData } from '#libs/chain/chains/solana/logged-data.js';
import type { SolanaTransaction } from '#libs/chain/chains/solana/transaction.js';
import { EventLayout, type FieldValue } from '#libs/chain/market-ports/solana/event-layout.js';
import {
  instructionTags,
  type PositionPlaces,
  type PositionRules,
  type SolanaPositionChange,
  type ToldChange,
} from '#libs/chain/market-ports/solana/positions.js';

const FIELDS = 'whirlpool:key position:key lower:i32 upper:i32 liquidity:u128 amount_a:u64 amount_b:u64';
const INCREASED = new EventLayout('1e0790b566fe9ba1', FIELDS);
const DECREASED = new EventLayout('a601244770cab5ab', FIELDS);
/** A position that leaves one range for another; the vaults move by the difference. */
const REPOSITIONED = new EventLayout(
  '5f82b584fb32c326',
  `whirlpool:key position:key lower:i32 upper:i32 new_lower:i32 new_upper:i32 liquidity:u128 new_liquidity:u128
   amount_a:u64 amount_b:u64 new_amount_a:u64 new_amount_b:u64`,
);

const V1: PositionPlaces = { pool: 0, owner: 2, vaults: [7, 8] };
const V2: PositionPlaces = { pool: 0, owner: 4, vaults: [11, 12] };
const places = (names: string, at: PositionPlaces): [string, PositionPlaces][] =>
  instructionTags(names).map((tag) => [tag, at]);

/** Programs of the later versions log what they did; of the others only the transfers are known. */
export const whirlpoolPositions: PositionRules = {
  moves: new Map([
    ...places('increase_liquidity decrease_liquidity', V1),
    ...places('increase_liquidity_v2 decrease_liquidity_v2 increase_liquidity_by_token_amounts_v2', V2),
  ]),
  harmless: new Set(
    instructionTags(
      `swap swap_v2 two_hop_swap two_hop_swap_v2 initialize_pool initialize_pool_v2 initialize_pool_with_adaptive_fee
       initialize_tick_array initialize_dynamic_tick_array initialize_fee_tier initialize_adaptive_fee_tier
       initialize_reward initialize_reward_v2 set_reward_emissions set_reward_emissions_v2 open_position
       open_position_with_metadata open_position_with_token_extensions open_bundled_position close_position
       close_position_with_token_extensions close_bundled_position initialize_position_bundle
       initialize_position_bundle_with_metadata delete_position_bundle lock_position reset_position_range
       transfer_locked_position update_fees_and_rewards collect_fees collect_fees_v2 collect_reward collect_reward_v2
       collect_protocol_fees collect_protocol_fees_v2 set_fee_rate set_fee_rate_by_delegated_fee_authority
       set_protocol_fee_rate set_default_fee_rate set_default_base_fee_rate set_default_protocol_fee_rate
       set_fee_authority set_delegated_fee_authority set_initialize_pool_authority set_reward_authority
       set_reward_authority_by_super_authority set_reward_emissions_super_authority set_collect_protocol_fees_authority
       set_preset_adaptive_fee_constants set_adaptive_fee_constants initialize_config initialize_config_extension
       set_config_extension_authority set_config_feature_flag set_token_badge_authority set_token_badge_attribute
       initialize_token_badge delete_token_badge migrate_repurpose_reward_authority_space`,
    ),
  ),
  tokensInOrder: true,
  told,
  other: repositioned,
};

function told(tx: SolanaTransaction, index: number): readonly ToldChange[] | null {
  for (const data of loggedData(tx, index)) {
    for (const [layout, sign] of [[INCREASED, 1n] as const, [DECREASED, -1n] as const]) {
      const event = layout.read(data);
      if (event !== null)
        return listed(change(sign, event.lower, event.upper, event.liquidity, event.amount_a, event.amount_b));
    }
  }
  return null;
}

/** The pool is the one that the event names. */
function repositioned(tx: SolanaTransaction, index: number): readonly SolanaPositionChange[] | null {
  for (const data of loggedData(tx, index)) {
    const event = REPOSITIONED.read(data);
    if (event === null) continue;
    const of = { pool: String(event.whirlpool), owner: tx.keys[0] ?? '', vaultA: '' };
    const changes = listed(
      change(-1n, event.lower, event.upper, event.liquidity, event.amount_a, event.amount_b),
      change(1n, event.new_lower, event.new_upper, event.new_liquidity, event.new_amount_a, event.new_amount_b),
    );
    return changes?.map((each) => ({ ...each, ...of })) ?? null;
  }
  return null;
}

/** Without those of no liquidity; null where one lacks a field. */
function listed(...changes: (ToldChange | null)[]): ToldChange[] | null {
  const whole = changes.filter((each) => each !== null);
  return whole.length < changes.length ? null : whole.filter(({ liquidityDelta }) => liquidityDelta !== 0n);
}

type Told = FieldValue | undefined;

function change(sign: bigint, lower: Told, upper: Told, liquidity: Told, a: Told, b: Told): ToldChange | null {
  if (typeof lower !== 'number' || typeof upper !== 'number') return null;
  if (typeof liquidity !== 'bigint' || typeof a !== 'bigint' || typeof b !== 'bigint') return null;
  return {
    ...{ tickLower: lower, tickUpper: upper, liquidityDelta: sign * liquidity },
    ...{ amountA: sign * a, amountB: sign * b },
  };
}
