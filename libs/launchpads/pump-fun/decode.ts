import { bytesOf, EventLayout, emittedEvent, startsWith } from '#libs/chains/solana/event-layout.js';
import { SYSTEM_PROGRAM, WRAPPED_SOL } from '#libs/chains/solana/programs.js';
import type { SolanaTransaction } from '#libs/chains/solana/transaction.js';
import { NO_LEGS, type SolanaLeg, type SolanaVenue } from '#libs/chains/solana/venue.js';

export const PUMP_TRADE = new EventLayout(
  'bddb7fd34ee661ee',
  `mint:key sol_amount:u64 token_amount:u64 is_buy:bool user:key timestamp:i64 virtual_sol_reserves:u64
   virtual_token_reserves:u64 real_sol_reserves:u64 real_token_reserves:u64 fee_recipient:key fee_basis_points:u64 fee:u64
   creator:key creator_fee_basis_points:u64 creator_fee:u64 track_volume:bool total_unclaimed_tokens:u64
   total_claimed_tokens:u64 current_sol_volume:u64 last_update_timestamp:i64 ix_name:string mayhem_mode:bool
   cashback_fee_basis_points:u64 cashback:u64 buyback_fee_basis_points:u64 buyback_fee:u64 shareholders:list:34
   quote_mint:key quote_amount:u64 virtual_quote_reserves:u64 real_quote_reserves:u64`,
);
const EVENTS = [PUMP_TRADE];

/** buy_v2, buy_exact_quote_in_v2 and sell_v2 carry both mints; the older instructions trade against lamports. */
const V2_INSTRUCTIONS = ['b817ee6167c5d33d', 'c2ab1c46684d5b2f', '5df6823ce7e940b2'].map(bytesOf);
const CURVE = 3;
const CURVE_V2 = 10;

/**
 * pump.fun's bonding curves. Every trade emits an event with the amounts that the curve took in and paid out, fees beside
 * them; a curve whose quote is no SOL says so at the event's end. The pool of a trade is the curve's account.
 */
export const pumpFun: SolanaVenue = {
  venue: 'pump-fun',
  dex: 'Pump.fun',
  program: '6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P',
  legs,
};

function legs(tx: SolanaTransaction, index: number): readonly SolanaLeg[] {
  const event = emittedEvent(tx, index, EVENTS);
  if (event === null) return NO_LEGS;
  const { data } = event;
  const mint = PUMP_TRADE.field(data, 'mint');
  const tokens = PUMP_TRADE.u64(data, 'token_amount');
  const lamports = PUMP_TRADE.u64(data, 'sol_amount');
  const user = PUMP_TRADE.field(data, 'user');
  if (mint === undefined || tokens === undefined || lamports === undefined || user === undefined) return NO_LEGS;
  const quote = PUMP_TRADE.field(data, 'quote_mint');
  const inSol = quote === undefined || quote === SYSTEM_PROGRAM || quote === WRAPPED_SOL;
  const quoteMint = inSol ? WRAPPED_SOL : (quote as string);
  const quoteAmount = inSol ? lamports : (PUMP_TRADE.u64(data, 'quote_amount') ?? lamports);
  const buy = PUMP_TRADE.field(data, 'is_buy') === true;
  const instruction = tx.instructions[index]!;
  const isV2 = V2_INSTRUCTIONS.some((discriminator) => startsWith(instruction.data, 0, discriminator));
  return [
    {
      pool: tx.accountKey(instruction, isV2 ? CURVE_V2 : CURVE),
      authority: user as string,
      inputMint: buy ? quoteMint : (mint as string),
      inputAmount: buy ? quoteAmount : tokens,
      outputMint: buy ? (mint as string) : quoteMint,
      outputAmount: buy ? tokens : quoteAmount,
    },
  ];
}
