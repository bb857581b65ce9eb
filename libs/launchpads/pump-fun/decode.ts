import { bytesOf, EventLayout, emittedEvents, startsWith } from '#libs/chains/solana/event-layout.js';
import type { SolanaInstruction } from '#libs/chains/solana/instruction.js';
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

/** Where an instruction names the curve: buy, sell and buy_exact_sol_in, then the second and the third generation. */
const CURVES: readonly { at: number; instructions: readonly Uint8Array[] }[] = [
  { at: 3, instructions: ['66063d1201daebea', '33e685a4017f83ad', '38fc74089edfcd5f'].map(bytesOf) },
  { at: 10, instructions: ['b817ee6167c5d33d', 'c2ab1c46684d5b2f', '5df6823ce7e940b2'].map(bytesOf) },
  { at: 5, instructions: ['07051dc4f5176550', 'e1f7501ed5b38488', '1c92de7726c469d5'].map(bytesOf) },
];
/** In the groups of a route over several curves: base mint, quote mint, curve. */
const CURVE_AFTER_MINT = 2;

/**
 * pump.fun's bonding curves. Every trade emits an event with the amounts that the curve took in and paid out, fees beside
 * them; a curve whose quote is no SOL says so at the event's end. The pool of a trade is the curve's account. A route over
 * several curves emits an event for each of them.
 */
export const pumpFun: SolanaVenue = {
  venue: 'pump-fun',
  dex: 'Pump.fun',
  kind: 'curve',
  program: '6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P',
  legs: (tx, index) => emittedEvents(tx, index, EVENTS).flatMap(({ data }) => toLeg(tx, index, data)),
};

function toLeg(tx: SolanaTransaction, index: number, data: Uint8Array): readonly SolanaLeg[] {
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
  return [
    {
      pool: curveOf(tx, tx.instructions[index]!, mint as string),
      authority: user as string,
      inputMint: buy ? quoteMint : (mint as string),
      inputAmount: buy ? quoteAmount : tokens,
      outputMint: buy ? (mint as string) : quoteMint,
      outputAmount: buy ? tokens : quoteAmount,
    },
  ];
}

function curveOf(tx: SolanaTransaction, instruction: SolanaInstruction, mint: string): string {
  const { data, accounts } = instruction;
  const known = CURVES.find(({ instructions }) => instructions.some((each) => startsWith(data, 0, each)));
  if (known !== undefined) return tx.accountKey(instruction, known.at);
  const group = accounts.findIndex((_, nth) => tx.accountKey(instruction, nth) === mint);
  return group < 0 ? '' : tx.accountKey(instruction, group + CURVE_AFTER_MINT);
}
