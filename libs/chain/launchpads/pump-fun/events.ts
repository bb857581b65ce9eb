import { EventLayout } from '#libs/chain/market-ports/solana/event-layout.js';

/** Events of pump.fun's program, each in its newest form: earlier ones end before the later fields. */
export const PUMP_TRADE = new EventLayout(
  'bddb7fd34ee661ee',
  `mint:key sol_amount:u64 token_amount:u64 is_buy:bool user:key timestamp:i64 virtual_sol_reserves:u64
   virtual_token_reserves:u64 real_sol_reserves:u64 real_token_reserves:u64 fee_recipient:key fee_basis_points:u64 fee:u64
   creator:key creator_fee_basis_points:u64 creator_fee:u64 track_volume:bool total_unclaimed_tokens:u64
   total_claimed_tokens:u64 current_sol_volume:u64 last_update_timestamp:i64 ix_name:string mayhem_mode:bool
   cashback_fee_basis_points:u64 cashback:u64 buyback_fee_basis_points:u64 buyback_fee:u64 shareholders:list:34
   quote_mint:key quote_amount:u64 virtual_quote_reserves:u64 real_quote_reserves:u64`,
);

export const PUMP_CREATE = new EventLayout(
  '1b72a94ddeeb6376',
  `name:string symbol:string uri:string mint:key bonding_curve:key user:key creator:key timestamp:i64
   virtual_token_reserves:u64 virtual_sol_reserves:u64 real_token_reserves:u64 token_total_supply:u64 token_program:key
   is_mayhem_mode:bool is_cashback_enabled:bool quote_mint:key virtual_quote_reserves:u64`,
);

/** Everything is sold; the tokens move on later. */
export const PUMP_COMPLETE = new EventLayout(
  '5f72619cd42e9808',
  'user:key mint:key bonding_curve:key timestamp:i64 quote_mint:key',
);

export const PUMP_MIGRATION = new EventLayout(
  'bde95db95c94ea94',
  `user:key mint:key mint_amount:u64 sol_amount:u64 pool_migration_fee:u64 bonding_curve:key timestamp:i64 pool:key
   quote_mint:key`,
);
